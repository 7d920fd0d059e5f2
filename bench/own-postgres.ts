import { globalSetup, globalTeardown } from '#test/support/postgres.ts'

/** Does some work on a real PostgreSQL of its own, which goes afterwards. */
export async function onPostgres(work: (url: string) => Promise<void>): Promise<void> {
  await globalSetup()
  try {
    await work(process.env.TEST_POSTGRES ?? '')
  } finally {
    await globalTeardown()
  }
}
