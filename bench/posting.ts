import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

/** What a bare client is to do: post the bodies, an array in a JSON file, so many times in all. */
export interface Posting {
  url: string
  file: string
  headers: Record<string, string>
  connections: number
  amount: number
}

/** The yardstick of deliveries: an undici pool that does nothing else, in a process of its own. */
process.once('message', async ({ url, file, headers, connections, amount }: Posting) => {
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
