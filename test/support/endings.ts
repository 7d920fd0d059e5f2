import { join } from 'node:path'
import { after } from 'node:test'

type Ending = () => unknown

const ofFile: Ending[] = []
const ofRun: Ending[] = []

/** Does something when the tests of this file are over; what was registered last is undone first. */
export const atFileEnd = (ending: Ending): unknown => ofFile.push(ending)

/** Does something when no more tests run in this process: for what several files share. */
export const atRunEnd = (ending: Ending): unknown => ofRun.push(ending)

/** Undoes what the file has opened. Where several files share a process, its worker calls this after each. */
export const endFile = (): Promise<void> => undo(ofFile)

/** Undoes what the files of this process have shared. */
export const endRun = (): Promise<void> => undo(ofRun)

/** All of them are tried, so that one failure leaves no servers behind; the first failure is thrown. */
async function undo(endings: Ending[]): Promise<void> {
  const failures: unknown[] = []
  for (const ending of endings.splice(0).toReversed()) {
    try {
      await ending()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** A worker of tools/testing runs several files, and calls both functions itself. */
export const isWorker =
  process.argv[1] === join(import.meta.dirname, '../../tools/testing/worker.ts')

// Under `node --test` a process runs one file, and its hook is that of the process.
if (!isWorker) {
  after(async () => {
    await endFile()
    await endRun()
  })
}
