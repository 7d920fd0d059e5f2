import { setTimeout as pause } from 'node:timers/promises'
import { openFiles } from '#files/open.ts'
import { openStore } from '#storage/open.ts'
import { purgeAbandoned } from '#upkeep/abandoned.ts'
import { eraseDeleted } from '#upkeep/deleted-workspaces.ts'
import { blankErased } from '#upkeep/erased.ts'
import { removeDoomed } from '#upkeep/files.ts'
import { configFrom } from '../../src/config.ts'

/** What takes away, in turn and without rests: each step is told after which there is more to do, to be killed there. */
const config = configFrom(process.env)
const { storage } = await openStore({ ...config, isCommand: true })
const files = openFiles(config)
const chores = {
  deleted: eraseDeleted(storage, config.settings.trashDays),
  purged: purgeAbandoned(storage, files),
  files: removeDoomed(storage, files),
  erased: blankErased(storage),
}
// One waits for another: a round in which nobody has more to do is not the end yet.
for (let idle = 0; idle < 3; idle += 1) {
  for (const [name, step] of Object.entries(chores)) {
    if (!(await step())) continue
    console.log(name)
    idle = 0
  }
  await pause(5)
}
await storage.close()
