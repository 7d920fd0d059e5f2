import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readProgramTexts } from '#test/docs/documented-programs.ts'
import type { ClientGenerator } from './generators.ts'
import { listOperationPatterns } from './observing-proxy.ts'
import type { TargetServer } from './target-server.ts'
import { hasProgram, runToolCommand, type ToolCommand } from './toolchain.ts'

/** A line of the table. */
export interface ClientResult {
  readonly client: string
  readonly language: string
  readonly warnings?: number
  readonly compiles?: string
  /** How many operations of the document the program called. */
  readonly calls?: string
  readonly result: string
  /** What to read of a failure. */
  readonly report?: string
}

export const PASSED = 'passed'
export const isFailure = ({ result }: ClientResult): boolean =>
  result !== PASSED && !result.startsWith('skipped')

/** What the samples of the guide print: the task that the programs leave behind. */
const STORY_TASK = 'ENG-1 Ship it'
const GUIDE = join(import.meta.dirname, '../../docs/guides/clients.md')
const PROGRAMS = join(import.meta.dirname, 'programs')

/** Generates a client in a new folder, compiles it and runs its program, as far as that succeeds. */
export async function tryGenerator(
  generator: ClientGenerator,
  target: TargetServer,
  folder: string,
  passes: readonly ClientPass[],
): Promise<ClientResult> {
  const { name: client, language, tool } = generator
  const missing = tool.needs.filter((program) => !hasProgram(program))
  let row: ClientResult = { client, language, result: PASSED }
  if (missing.length > 0) return { ...row, result: `skipped: no ${missing.join(', ')} here` }
  try {
    await tool.install()
  } catch (error) {
    return { ...row, result: 'not installed', report: String(error) }
  }
  const work = join(folder, client)
  cpSync(join(PROGRAMS, client), work, { recursive: true })
  writeFileSync(join(work, 'openapi.json'), JSON.stringify(target.document, undefined, 2))

  writeSample(generator, work, target.proxy.url)
  const generated = await runAll(generator.generate, work)
  const warnings = generated.output.match(generator.warning) ?? []
  row = { ...row, warnings: warnings.length }
  if (!generated.isSuccess) return { ...row, result: 'not generated', report: generated.output }
  const compiled = await runAll(generator.compile, work)
  row = { ...row, compiles: compiled.isSuccess ? 'yes' : 'no' }
  if (!compiled.isSuccess) return { ...row, result: 'not compiled', report: compiled.output }
  for (const pass of passes) {
    const { report, calls } = await runStory(generator, work, target, pass)
    row = { ...row, calls }
    if (report) return { ...row, result: `failed (${pass})`, report }
  }
  return warnings.length > 0 ? { ...row, result: 'warnings', report: warnings.join('\n') } : row
}

/** Writes the program that the guide shows for this generator. */
function writeSample({ sample }: ClientGenerator, work: string, baseUrl: string): void {
  if (!sample) return
  const program = readProgramTexts(GUIDE).find(({ name }) => name === sample.name)
  if (!program) throw new Error(`${GUIDE} has no ${sample.name}`)
  mkdirSync(join(work, sample.folder), { recursive: true })
  const text = program.text.replaceAll('{{base_url}}', baseUrl)
  writeFileSync(join(work, sample.folder, sample.name), text)
}

/** What the program meets: replies as they are, or with what a later version may add. */
export type ClientPass = 'present' | 'growing'

/** Runs the program, and after it the sample of the guide on the same workspace. */
async function runStory(
  { run, sample }: ClientGenerator,
  work: string,
  target: TargetServer,
  pass: ClientPass,
) {
  target.proxy.takeObservations()
  target.proxy.setGrowing(pass === 'growing')
  const env = target.createEnv()
  const { isSuccess, output } = await runToolCommand(run, work, env)
  const shown = sample && isSuccess ? await runToolCommand(sample.run, work, env) : undefined
  const isShown = !shown || (shown.isSuccess && shown.output.includes(STORY_TASK))
  const { operations, refused } = target.proxy.takeObservations()
  const all = listOperationPatterns(target.document).map(({ operation }) => operation.operationId)
  const left = isSuccess ? all.filter((id) => !operations.has(id)) : []
  const report = [
    ...(isSuccess ? [] : [output]),
    ...(isShown ? [] : [`The sample of the guide printed: ${shown?.output}`]),
    ...refused,
    ...(left.length > 0 ? [`It does not call ${left.join(', ')}`] : []),
  ].join('\n')
  return { calls: `${operations.size} of ${all.length}`, report }
}

/** Runs the commands until one fails. */
async function runAll(commands: readonly ToolCommand[], work: string) {
  let output = ''
  for (const command of commands) {
    const result = await runToolCommand(command, work)
    output += result.output
    if (!result.isSuccess) return { isSuccess: false, output }
  }
  return { isSuccess: true, output }
}
