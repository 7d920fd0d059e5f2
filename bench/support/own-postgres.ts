import { startEmbeddedPostgres } from '#test/support/postgres/embedded-postgres.ts'

/** Runs `work` on a new PostgreSQL server, which is removed afterwards. */
export async function withOwnPostgres(work: (url: string) => Promise<void>): Promise<void> {
  const postgres = await startEmbeddedPostgres({ durable: true })
  try {
    await work(postgres.url)
  } finally {
    await postgres.remove()
  }
}
