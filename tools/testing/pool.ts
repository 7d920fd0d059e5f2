import { type ChildProcess, fork } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needsOwnProcess, RESULTS, ROOT } from './files.ts'
import { failureOf, type TestResult, type WorkerMessage, type WorkerTask } from './messages.ts'

/** How the tests of a file ended. */
export interface FileResult {
  file: string
  tests: TestResult[]
  milliseconds: number
  /** What its process has written meanwhile. */
  output: string
  /** Where the logs of its servers lie, where it failed and has started some. */
  logs?: string
}

/** An upper bound for one file: one that takes longer hangs. */
const FILE_TIMEOUT_MS = 5 * 60_000
const MAX_OUTPUT = 1_000_000

/** Runs test files in so many processes at once, each taking the next file when it has ended one. */
export async function runFiles(
  files: readonly string[],
  workers: number,
  onFileEnd: (result: FileResult) => void,
): Promise<void> {
  const waiting = [...files]
  await Promise.all(Array.from({ length: workers }, () => work(waiting, onFileEnd)))
}

/** Keeps one worker busy. One that ends before its time costs the file that it ran, and is replaced. */
async function work(waiting: string[], onFileEnd: (result: FileResult) => void): Promise<void> {
  while (waiting.length > 0) await oneWorker(waiting, onFileEnd)
}

function oneWorker(waiting: string[], onFileEnd: (result: FileResult) => void): Promise<void> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: ['--test-reporter', join(import.meta.dirname, 'reporter.ts')],
  })
  const logs = mkdtempSync(join(tmpdir(), 'docket-logs-'))
  let current: FileResult | undefined
  let began = 0
  let hasRun = false
  let isOver = false
  let deadline: NodeJS.Timeout | undefined
  const keep = (chunk: Buffer) => {
    if (current) current.output = (current.output + chunk).slice(-MAX_OUTPUT)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)

  const next = () => {
    const isTaken = hasRun && waiting[0] !== undefined && needsOwnProcess(waiting[0])
    const file = (isTaken || isOver ? undefined : waiting.shift()) ?? null
    isOver = file !== null && needsOwnProcess(file)
    hasRun = true
    current = file === null ? undefined : { file, tests: [], milliseconds: 0, output: '' }
    began = performance.now()
    clearTimeout(deadline)
    if (current) deadline = setTimeout(() => child.kill('SIGKILL'), FILE_TIMEOUT_MS)
    tell(child, { file, logs })
  }
  child.on('message', (message: WorkerMessage) => {
    if (message.type === 'result') current?.tests.push(message.result)
    else if (current) {
      end(current, message.milliseconds)
      next()
    }
  })
  const end = (ended: FileResult, milliseconds: number) => {
    onFileEnd({ ...ended, milliseconds, ...keepLogs(ended, logs) })
  }
  next()
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(deadline)
      if (current) {
        const milliseconds = performance.now() - began
        const why = `The process of the file ended (${signal ?? code}) after ${Math.round(milliseconds / 1_000)} s`
        current.tests.push(failureOf(current.file, 'the file itself', why))
        end(current, milliseconds)
      }
      rmSync(logs, { recursive: true, force: true })
      resolve()
    })
  })
}

const tell = (child: ChildProcess, task: WorkerTask) => child.send(task)

/** Those of a file that failed are kept; afterwards the folder is empty for the next file. */
function keepLogs({ file, tests }: FileResult, logs: string): Pick<FileResult, 'logs'> {
  const names = readdirSync(logs)
  const isKept = names.length > 0 && tests.some(({ isPassed }) => !isPassed)
  const kept = join(RESULTS, file.replace(/\.test\.ts$/, '').replaceAll(/\W+/g, '-'), 'servers')
  if (isKept) cpSync(logs, kept, { recursive: true })
  for (const name of names) rmSync(join(logs, name), { force: true })
  return isKept ? { logs: kept } : {}
}
