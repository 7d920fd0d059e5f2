import {
  closeBrowserAndServers,
  openBrowserFixture,
} from '../../test/browser/support/browser-test.ts'
import { seedTasks } from '../../test/browser/support/seed.ts'
import { getTestServer } from '../../test/browser/support/test-server.ts'
import { measureHeapGrowth, measureInteraction, measureLongList } from './interaction.ts'
import { measureLargeProject } from './large-project.ts'
import { measureLiveUpdates } from './live-updates.ts'
import { measurePageLoad } from './page-load.ts'
import { measureReadsPerChange } from './reads-per-change.ts'
import { measureScreens } from './screens.ts'

const TASKS = 10_000

/**
 * Measures the web app with a project of 10,000 tasks, in Chromium with a 4 times slower CPU,
 * against the limits of its specification.
 */
export async function measureWeb(): Promise<void> {
  const docket = await getTestServer({})
  const { fixture, guard } = await openBrowserFixture(docket)
  try {
    await seedTasks(fixture, TASKS)
    for (const part of [
      measurePageLoad,
      measureInteraction,
      measureLongList,
      measureScreens,
      measureLiveUpdates,
      measureReadsPerChange,
      measureHeapGrowth,
    ])
      await part(fixture)
    const large = await openBrowserFixture(docket)
    await measureLargeProject(large.fixture)
    for (const line of [...guard.violations(), ...large.guard.violations()]) console.log(line)
  } finally {
    await closeBrowserAndServers()
  }
}
