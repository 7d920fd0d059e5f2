import { join } from 'node:path'
import { after, afterEach, suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { cleanUpFile, cleanUpRun } from '../../test/support/runner/cleanup.ts'
import { leaveRecentLog } from '../../test/support/runner/recent-log.ts'
import { killChildProcesses } from '../../test/support/system/child-processes.ts'
import { createFailureResult, sendToParent, type WorkerTask } from './messages.ts'
import { stopTracking, trackDeclarations } from './resource-tracking.ts'
import { REPOSITORY_ROOT } from './test-files.ts'

// Random inputs are the same in every run, so that a red test points to a change.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) })

/**
 * Runs the test files that the parent process assigns, one after another: modules are loaded once,
 * and a Docket, browser or database is started once for several files. Each file is a suite, so its
 * hooks end with it.
 */
const tasks: WorkerTask[] = []
let current = ''
let isListening = false
let wake = () => {}
process.on('message', (task: WorkerTask) => {
  tasks.push(task)
  wake()
})

// Without its parent every write fails, which would be reported to the parent, and so on for ever.
process.on('disconnect', () => {
  killChildProcesses(process.pid)
  process.exit(1)
})

for (;;) {
  const { file, logs } = await nextTask()
  if (file === null) break
  current = file
  process.env.TEST_LOGS = logs
  await trackDeclarations(() =>
    suite(file, async () => {
      listenForLateErrors()
      after(cleanUpFile)
      afterEach(leaveRecentLog)
      try {
        await import(pathToFileURL(join(REPOSITORY_ROOT, file)).href)
      } finally {
        stopTracking()
      }
    }),
  )
}
await cleanUpRun()
// All results are sent; a connection that a test forgot to close must not keep the process alive.
process.exit()

async function nextTask(): Promise<WorkerTask> {
  for (;;) {
    const task = tasks.shift()
    if (task) return task
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

/**
 * For an error that it cannot assign to a test node:test merely sets the exit code. This listener runs
 * after its own, which is added with the first suite, and makes the file fail.
 */
function listenForLateErrors(): void {
  if (isListening) return
  isListening = true
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      if (process.exitCode === undefined) return
      process.exitCode = undefined
      const result = createFailureResult(current, 'an error that no test caught', inspect(error))
      sendToParent({ type: 'result', result })
    })
  }
}
