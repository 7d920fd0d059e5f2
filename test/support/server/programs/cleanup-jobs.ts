import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openFiles } from '#files/open.ts'
import {
  deletePendingFiles,
  expireDeletedWorkspaces,
  purgeAbandonedWorkspaces,
} from '#jobs/purges.ts'
import { redactErasedPeople } from '#jobs/redact-erased-people.ts'

/**
 * Runs the deletion jobs in turn. Prints the name of each job that has more to do, and waits for a
 * line before it goes on, so that a test can kill the process at that point.
 */
const lines = createInterface(process.stdin)[Symbol.asyncIterator]()
const config = parseConfig(process.env)
const { storage } = await openStore({ ...config, isCommand: true })
const files = openFiles(config)
const jobs = {
  deleted: expireDeletedWorkspaces(storage, config.settings.trashDays),
  purged: purgeAbandonedWorkspaces(storage, files),
  files: deletePendingFiles(storage, files),
  erased: redactErasedPeople(storage),
}
// Jobs wait for each other, so one round without work is not yet the end.
for (let idle = 0; idle < 3; idle += 1) {
  for (const [name, step] of Object.entries(jobs)) {
    if (!(await step())) continue
    console.log(name)
    await lines.next()
    idle = 0
  }
  await pause(5)
}
await storage.close()
