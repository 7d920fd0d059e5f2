import { join } from 'node:path'
import type { SeededWorkspace } from '../support/seed.ts'

const HERE = join(import.meta.dirname, '../..')

/**
 * Fills a database with a workspace, by the code of this checkout or of another one: older code does not
 * open a database that newer code has migrated.
 */
export async function seedByCheckout(
  dataDir: string,
  tasks: number,
  { root = HERE, env = {} }: { root?: string; env?: Record<string, string> } = {},
): Promise<SeededWorkspace> {
  const stores: typeof import('#db/installation/open-store.ts') = await import(
    join(root, 'src/db/installation/open-store.ts')
  )
  const configs: typeof import('../../src/config/config.ts') = await import(
    join(root, 'src/config/config.ts')
  )
  const clocks: typeof import('#test/support/system/test-clock.ts') = await import(
    join(root, 'test/support/system/test-clock.ts')
  )
  const seeds: typeof import('../support/seed.ts') = await import(
    join(root, 'bench/support/seed.ts')
  )
  const clock = clocks.createTestClock()
  const config = configs.parseConfig({ DOCKET_DATA_DIR: dataDir, ...env })
  const { storage } = await stores.openStore({ ...config, clock })
  const seeded = await seeds.seedWorkspace(storage, tasks, clock)
  await storage.close()
  return seeded
}
