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
import { measureLargeProject } from './large-project.ts'
import { measureLiveUpdates } from './live-updates.ts'
import { measurePageLoad } from './page-load.ts'
import { measureReadsPerChange } from './reads-per-change.ts'
import { measureScreens } from './screens.ts'
import { measureSlowNetwork } from './slow-network.ts'

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
  slow: measureSlowNetwork,
}

/**
 * Measures the web app with a project of 10,000 tasks, in Chromium with a 4 times slower CPU,
 * against the limits of its specification. Runs all parts, and then a project of 100,000 tasks, or
 * only those that are selected by name (`large` is that project).
 */
export async function measureWeb(selected: readonly string[]): Promise<void> {
  const names = [...Object.keys(PARTS), 'large'].filter((name) => selected.includes(name))
  const isSelected = (name: string) => names.length === 0 || names.includes(name)
  const docket = await getTestServer({})
  const { fixture, guard } = await openBrowserFixture(docket)
  try {
    await seedTasks(fixture, TASKS)
    for (const [name, part] of Object.entries(PARTS)) if (isSelected(name)) await part(fixture)
    const large = await openBrowserFixture(docket)
    if (isSelected('large')) await measureLargeProject(large.fixture)
    for (const line of [...guard.violations(), ...large.guard.violations()]) console.log(line)
  } finally {
    await closeBrowserAndServers()
  }
}
