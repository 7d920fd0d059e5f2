import { join } from 'node:path'
import { after, suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { endFile, endRun } from '../../test/support/endings.ts'
import { ROOT } from './files.ts'
import type { WorkerTask } from './messages.ts'

/**
 * Runs test files one after the other in this process, as it is told: modules are loaded once, and a Docket, a
 * browser or a database that several files use is started once. Each file is a suite, so its hooks end with it.
 */
const tasks: WorkerTask[] = []
let wake = () => {}
process.on('message', (task: WorkerTask) => {
  tasks.push(task)
  wake()
})

for (;;) {
  const { file } = await nextTask()
  if (file === null) break
  await suite(file, async () => {
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
