import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { afterFile } from '#test/support/runner/cleanup.ts'
import { endServer, startServer } from '#test/support/server/server-process.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { createScopedKey, createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { DELIVERY_RULES } from '#webhooks/results.ts'
import { SCOPE_PRESETS } from '#wire/scopes.ts'

/** A server in a process of its own, with the keys that the kit can use. */
export interface DocketUnderTest {
  port: number
  key: string
  secondKey: string
  readOnlyKey: string
}

/** Starts a Docket with two workspaces until the end of the file. */
export async function startDocketUnderTest(): Promise<DocketUnderTest> {
  const dataDir = createTempDir()
  const config = parseConfig({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET })
  const { storage } = await openStore(config)
  const [first, second] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
  const readOnlyKey = await createScopedKey(storage, first, 'owner', SCOPE_PRESETS.read_only)
  await storage.close()
  // Retries follow at once, where a real installation waits 5 s, so that the test does not have to.
  const options = { rules: { ...DELIVERY_RULES, retrySeconds: [0, 0, 0] } }
  const server = await startServer(dataDir, { options })
  afterFile(() => endServer(server, 'SIGKILL'))
  const { port } = server
  return { port, key: first.keys.owner, secondKey: second.keys.owner, readOnlyKey }
}

/** The arguments with which every check of a server runs. */
export const serverArguments = (
  { key, secondKey, readOnlyKey }: DocketUnderTest,
  port: number,
): string[] => [
  ...['server', `http://127.0.0.1:${port}`, '--key', key, '--second-key', secondKey],
  ...['--read-only-key', readOnlyKey, '--receive-at', 'http://127.0.0.1:0'],
]
