import { finish, sceneOn } from '../test/browser/support/browse.ts'
import { docketFor } from '../test/browser/support/docket.ts'
import { seedTasks } from '../test/browser/support/seed.ts'
import { measureLoad } from './web-load.ts'
import { measureOthers } from './web-others.ts'
import { measureScreens } from './web-screens.ts'
import { measureHeap, measureUse } from './web-use.ts'

const TASKS = 10_000

/**
 * The web app on a project of 10,000 tasks, in Chromium on a machine 4 times slower. Limits are those of
 * its specification (7).
 */
export async function measureWeb(): Promise<void> {
  const docket = await docketFor({})
  const { scene, guard } = await sceneOn(docket)
  try {
    await seedTasks(scene, TASKS)
    for (const part of [measureLoad, measureUse, measureScreens, measureOthers, measureHeap])
      await part(scene)
    for (const line of guard.complaints()) console.log(line)
  } finally {
    await finish()
  }
}
