// Builds the current sources first.
import '../../tools/build-web.ts'
import {
  type BrowserFixture,
  closeBrowserAndServers,
  openBrowserFixture,
} from '../../test/browser/support/browser-test.ts'
import { seedTasks } from '../../test/browser/support/seed.ts'
import { getTestServer } from '../../test/browser/support/test-server.ts'
import { measureHeapGrowth, measureInteraction, measureLongList } from './interaction.ts'
import { measureLiveUpdates } from './live-updates.ts'
import { measurePageLoad } from './page-load.ts'
import { measureReadsPerChange } from './reads-per-change.ts'
import { measureScreens } from './screens.ts'

const TASKS = 10_000

/** What is measured in a project of 10,000 tasks, by name. */
const PARTS: Record<string, (fixture: BrowserFixture) => Promise<void>> = {
  load: measurePageLoad,
  interaction: measureInteraction,
  list: measureLongList,
  screens: measureScreens,
  live: measureLiveUpdates,
  reads: measureReadsPerChange,
  heap: measureHeapGrowth,
}

/**
 * Measures the web app with a project of 10,000 tasks, in Chromium with a 4 times slower CPU,
 * against the limits of its specification. Runs all parts, or only those that are selected by name.
 */
export async function measureWeb(selected: readonly string[]): Promise<void> {
  const names = Object.keys(PARTS).filter((name) => selected.includes(name))
  const { fixture, guard } = await openBrowserFixture(await getTestServer({}))
  try {
    await seedTasks(fixture, TASKS)
    for (const [name, part] of Object.entries(PARTS)) {
      if (names.length === 0 || names.includes(name)) await part(fixture)
    }
    for (const line of guard.violations()) console.log(line)
  } finally {
    await closeBrowserAndServers()
  }
}
