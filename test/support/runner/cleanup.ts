import { join } from 'node:path'
import { after } from 'node:test'

type CleanupTask = () => unknown

const fileTasks: CleanupTask[] = []
const runTasks: CleanupTask[] = []

/** Registers cleanup for the end of this test file; the last registered task runs first. */
export const afterFile = (task: CleanupTask): unknown => fileTasks.push(task)

/** Registers cleanup for the end of this process, for resources that several files share. */
export const afterRun = (task: CleanupTask): unknown => runTasks.push(task)

/** Runs the file's cleanup. In a process with several files, its worker calls this after each. */
export const cleanUpFile = (): Promise<void> => runInReverse(fileTasks)

/** Runs the cleanup of the resources that the files of this process share. */
export const cleanUpRun = (): Promise<void> => runInReverse(runTasks)

/** Runs all tasks, so that one failure leaves no server behind; then throws the first error. */
async function runInReverse(tasks: CleanupTask[]): Promise<void> {
  const failures: unknown[] = []
  for (const task of tasks.splice(0).toReversed()) {
    try {
      await task()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** True in a worker of tools/testing, which runs several files and calls both functions itself. */
export const isTestWorker =
  process.argv[1] === join(import.meta.dirname, '../../../tools/testing/worker.ts')

// Under `node --test` each process runs one file, so its hook ends both the file and the run.
if (!isTestWorker) {
  after(async () => {
    await cleanUpFile()
    await cleanUpRun()
  })
}
