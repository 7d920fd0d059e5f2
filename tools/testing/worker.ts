import { join } from 'node:path'
import { after, suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { endFile, endRun } from '../../test/support/endings.ts'
import { ROOT } from './files.ts'
import { failureOf, send, type WorkerTask } from './messages.ts'

/**
 * Runs test files one after the other in this process, as it is told: modules are loaded once, and a Docket, a
 * browser or a database that several files use is started once. Each file is a suite, so its hooks end with it.
 */
const tasks: WorkerTask[] = []
let current = ''
let isListening = false
let wake = () => {}
process.on('message', (task: WorkerTask) => {
  tasks.push(task)
  wake()
})

for (;;) {
  const { file, logs } = await nextTask()
  if (file === null) break
  current = file
  process.env.TEST_LOGS = logs
  await suite(file, async () => {
    listenForLateErrors()
    after(endFile)
    await import(pathToFileURL(join(ROOT, file)).href)
  })
}
await endRun()
// Its results have been received: a connection that a test forgot must not hold it.
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
 * An error of something that no running test has begun is only noted by node:test, which sets the exit code. This
 * listener comes after its own, which is added with the first suite, and lets the file fail.
 */
function listenForLateErrors(): void {
  if (isListening) return
  isListening = true
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      if (process.exitCode === undefined) return
      process.exitCode = undefined
      const result = failureOf(current, 'outside of a test that runs', inspect(error))
      send({ type: 'result', result })
    })
  }
}
