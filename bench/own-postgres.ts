import { embeddedPostgres } from '#test/support/embedded.ts'

/** Does some work on a real PostgreSQL of its own, which goes afterwards. */
export async function onPostgres(work: (url: string) => Promise<void>): Promise<void> {
  const postgres = await embeddedPostgres({ durable: true })
  try {
    await work(postgres.url)
  } finally {
    await postgres.remove()
  }
}
