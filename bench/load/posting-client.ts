import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

/** The requests of a bare client: bodies from a JSON file with an array, and their total number. */
export interface PostingOptions {
  url: string
  file: string
  headers: Record<string, string>
  connections: number
  amount: number
}

/** The baseline for deliveries: a process with an undici pool that does nothing but post. */
process.once('message', async ({ url, file, headers, connections, amount }: PostingOptions) => {
  const before = process.cpuUsage()
  const bodies: string[] = JSON.parse(readFileSync(file, 'utf8'))
  const { origin, pathname: path } = new URL(url)
  const pool = new Pool(origin, { connections })
  let next = 0
  async function post(): Promise<void> {
    while (next < amount) {
      const body = bodies[next % bodies.length] ?? ''
      next += 1
      const reply = await pool.request({ method: 'POST', path, headers, body })
      await reply.body.dump()
    }
  }
  await Promise.all(Array.from({ length: connections }, post))
  await pool.close()
  const { user, system } = process.cpuUsage(before)
  process.send?.({ cpu: (user + system) / 1e6 }, () => process.exit(0))
})
