import { type ChildProcess, fork } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killChildProcesses } from '../../test/support/system/child-processes.ts'
import {
  createFailureResult,
  type TestResult,
  type WorkerMessage,
  type WorkerTask,
} from './messages.ts'
import { needsOwnProcess, REPOSITORY_ROOT, RESULTS_DIR } from './test-files.ts'

/** The results of the tests of one file. */
export interface FileResult {
  file: string
  tests: TestResult[]
  milliseconds: number
  /** Processor time, including that of child processes that have ended. */
  cpuMs: number
  /** The output of the process during the file. */
  output: string
  /** The directory with the logs of its servers, if it failed and has started any. */
  logs?: string
}

/** A file of which no test ends for so long counts as hanging. */
const TEST_TIMEOUT_MS = 10 * 60_000
const MAX_OUTPUT = 1_000_000

/** Runs test files in this many processes; each takes the next file when it has finished one. */
export async function runFiles(
  files: readonly string[],
  workers: number,
  onFileEnd: (result: FileResult) => void,
): Promise<void> {
  const waiting = [...files]
  await Promise.all(Array.from({ length: workers }, () => work(waiting, onFileEnd)))
}

/** Keeps one worker running. If it dies, the current file fails and a new worker takes over. */
async function work(waiting: string[], onFileEnd: (result: FileResult) => void): Promise<void> {
  while (waiting.length > 0) await oneWorker(waiting, onFileEnd)
}

function oneWorker(waiting: string[], onFileEnd: (result: FileResult) => void): Promise<void> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), {
    cwd: REPOSITORY_ROOT,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: ['--test-reporter', join(import.meta.dirname, 'reporter.ts')],
  })
  const logs = mkdtempSync(join(tmpdir(), 'docket-logs-'))
  let current: FileResult | undefined
  let began = 0
  let cpuMsBefore = 0
  let hasRun = false
  let isLastFile = false
  let deadline: NodeJS.Timeout | undefined
  const keep = (chunk: Buffer) => {
    if (current) current.output = (current.output + chunk).slice(-MAX_OUTPUT)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)

  const killWorker = () => {
    if (child.pid !== undefined) killChildProcesses(child.pid)
    child.kill('SIGKILL')
  }
  const expectResult = () => {
    clearTimeout(deadline)
    if (current) deadline = setTimeout(killWorker, TEST_TIMEOUT_MS)
  }
  const next = () => {
    const mustRunInNewProcess = hasRun && waiting[0] !== undefined && needsOwnProcess(waiting[0])
    const file = (mustRunInNewProcess || isLastFile ? undefined : waiting.shift()) ?? null
    isLastFile = file !== null && needsOwnProcess(file)
    hasRun = true
    current = file === null ? undefined : { file, tests: [], milliseconds: 0, cpuMs: 0, output: '' }
    began = performance.now()
    expectResult()
    assignTask(child, { file, logs })
  }
  child.on('message', (message: WorkerMessage) => {
    if (message.type === 'result') {
      current?.tests.push(message.result)
      expectResult()
    } else if (current) {
      current.cpuMs = message.cpuMs - cpuMsBefore
      cpuMsBefore = message.cpuMs
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
        current.tests.push(createFailureResult(current.file, 'the file itself', why))
        end(current, milliseconds)
      }
      rmSync(logs, { recursive: true, force: true })
      resolve()
    })
  })
}

const assignTask = (child: ChildProcess, task: WorkerTask) => child.send(task)

/** Copies the logs of a failed file to the results, and empties the folder for the next file. */
function keepLogs({ file, tests }: FileResult, logs: string): Pick<FileResult, 'logs'> {
  const names = readdirSync(logs)
  const isKept = names.length > 0 && tests.some(({ isPassed }) => !isPassed)
  const kept = join(RESULTS_DIR, file.replace(/\.test\.ts$/, '').replaceAll(/\W+/g, '-'), 'servers')
  if (isKept) cpSync(logs, kept, { recursive: true })
  for (const name of names) rmSync(join(logs, name), { force: true })
  return isKept ? { logs: kept } : {}
}
