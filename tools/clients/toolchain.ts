import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
/** Inside of node_modules, which git ignores. */
const CACHE = join(ROOT, 'node_modules/.cache/clients')

/** A program and its arguments. */
export type ToolCommand = readonly [program: string, ...args: string[]]

export interface ToolCommandResult {
  readonly isSuccess: boolean
  /** Of stdout and stderr, as they arrived. */
  readonly output: string
}

/** Long enough for a first build of a Java client on a busy machine. */
const COMMAND_TIMEOUT_MS = 10 * 60_000

/** Runs a program until it ends. A program that cannot be started has failed, too. */
export async function runToolCommand(
  [program, ...args]: ToolCommand,
  cwd: string,
  env: Record<string, string> = {},
): Promise<ToolCommandResult> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: COMMAND_TIMEOUT_MS,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  try {
    const [code] = await once(child, 'close')
    return { isSuccess: code === 0, output }
  } catch (error) {
    return { isSuccess: false, output: `${output}${error}` }
  }
}

export const hasProgram = (name: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${name}`]).status === 0

/** A tool in a folder of the cache, which keeps it until its version changes. */
export interface Tool {
  /** Programs that the machine must have. */
  readonly needs: readonly string[]
  readonly isInstalled: () => boolean
  readonly install: () => Promise<void>
  /** The path of one of its programs or packages, once it is installed. */
  readonly pathOf: (file: string) => string
}

interface ToolRecipe {
  readonly name: string
  readonly needs: readonly string[]
  /** What its folder has before the commands run there. */
  readonly files?: Record<string, string>
  readonly commands: readonly ToolCommand[]
  /** The folder of its programs or packages, inside of its own. */
  readonly folder?: string
}

function createTool({ name, needs, files = {}, commands, folder = '' }: ToolRecipe): Tool {
  const toolDir = join(CACHE, name)
  const marker = join(toolDir, '.installed')
  const recipe = JSON.stringify([files, commands])
  const isInstalled = () => existsSync(marker) && readFileSync(marker, 'utf8') === recipe
  return {
    needs,
    isInstalled,
    async install() {
      if (isInstalled()) return
      rmSync(toolDir, { recursive: true, force: true })
      mkdirSync(toolDir, { recursive: true })
      for (const [file, text] of Object.entries(files)) writeFileSync(join(toolDir, file), text)
      for (const command of commands) {
        const { isSuccess, output } = await runToolCommand(command, toolDir, { GOBIN: toolDir })
        if (!isSuccess) throw new Error(`${command.join(' ')} failed:\n${output}`)
      }
      writeFileSync(marker, recipe)
    },
    pathOf: (file) => join(toolDir, folder, file),
  }
}

/** Packages of npm in a folder of their own: they may need another TypeScript than this repository. */
export const npmTool = (name: string, packages: readonly string[]): Tool =>
  createTool({
    name,
    needs: ['npm'],
    files: { 'package.json': '{ "private": true }' },
    commands: [['npm', 'install', '--no-audit', '--no-fund', '--save-exact', ...packages]],
    folder: 'node_modules',
  })

/** Packages of PyPI in a virtual environment. */
export const pythonTool = (name: string, packages: readonly string[]): Tool =>
  createTool({
    name,
    needs: ['python3'],
    files: { 'requirements.txt': packages.join('\n') },
    commands: [
      ['python3', '-m', 'venv', '.'],
      ['bin/pip', 'install', '--disable-pip-version-check', '-r', 'requirements.txt'],
    ],
    folder: 'bin',
  })

/**
 * A program of a Go module. A requirement in go.mod needs that version only, whereas
 * `go install program@version` asks for the list of all versions, which some proxies lack.
 */
export const goTool = (name: string, module: string, version: string, program: string): Tool =>
  createTool({
    name,
    needs: ['go'],
    files: { 'go.mod': `module tools\n\ngo 1.25.0\n\nrequire ${module} ${version}\n` },
    commands: [['go', 'install', '-mod=mod', `${module}/${program}`]],
  })

/** The jar of an artifact of Maven Central, given as `group:artifact:version`. */
export function mavenTool(name: string, artifact: string): Tool {
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
  const options = [`-Dartifact=${artifact}`, '-DoutputDirectory=.']
  return createTool({
    name,
    needs: ['java', 'mvn'],
    commands: [['mvn', '--batch-mode', '--quiet', copy, ...options]],
  })
}
