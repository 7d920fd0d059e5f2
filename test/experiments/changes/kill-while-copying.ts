import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { endServer, seedDataDir, startServer } from '../../support/server/server-process.ts'
import { findFreePort } from '../../support/system/free-port.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import { readAllRecords } from './expected-records.ts'
import { createReader, pullAndCompare, pullPage } from './history-reader.ts'
import { contentTypeOf, createEmptyWorld, type HistoryWorld, payloadOf } from './history-world.ts'
import { SeededChoices } from './seeded-choices.ts'
import { openStreamReader } from './stream-reader.ts'
import { API_ACTIONS, FIRST_ACTIONS } from './task-actions.ts'

const WRITERS = 8
/** The maximum of accepted writes between a start and the kill. */
const MAX_WRITES = 150
/** Reading without a pause would take most of the processor time. */
const READ_INTERVAL_MS = 20

/**
 * Kills a server again and again while people write and copies are read page by page and as a stream.
 * After each restart, which tells nobody what the killed server has done, every copy must become
 * exact from the position that it had. Returns what was wrong.
 */
export async function killWhileCopying(rounds: number, env: Record<string, string> = {}) {
  const dataDir = createTempDir()
  const team = await seedDataDir(dataDir, env)
  const port = await findFreePort()
  const world = createEmptyWorld(
    team,
    new SeededChoices(rounds),
    async (person, method, url, body) => {
      const reply = await fetch(`http://127.0.0.1:${port}${url}`, {
        method,
        headers: {
          authorization: `Bearer ${person.key}`,
          ...(body && { 'content-type': contentTypeOf(body) }),
        },
        ...(body && { body: new Uint8Array(Buffer.from(payloadOf(body))) }),
      })
      return { status: reply.status, text: await reply.text() }
    },
  )
  const { owner, member, guest } = world.people
  const readers = [owner, member, guest].map((person) => createReader(person))
  let server = await startServer(dataDir, { port, env })
  for (const action of FIRST_ACTIONS) await action(world, owner)
  const streams = [owner, guest].map((person) => ({ person, ...openStreamReader(port, person) }))
  const wrong: string[] = []
  let kills = 0
  while (kills < rounds && wrong.length === 0) {
    const until = world.accepted + MAX_WRITES * (0.1 + 0.9 * Math.random())
    const writing = Array.from({ length: WRITERS }, () => repeat(() => actAtRandom(world)))
    const reading = readers.map((reader) =>
      repeat(async () => {
        await pullPage(world, reader)
        await pause(READ_INTERVAL_MS)
      }),
    )
    await waitUntil('writes', () => world.accepted >= until)
    await endServer(server, 'SIGKILL')
    kills += 1
    await Promise.all([...writing, ...reading])
    server = await startServer(dataDir, { port, env })
    for (const reader of readers) wrong.push(...(await pullAndCompare(world, reader)))
    for (const { person, compare } of streams)
      wrong.push(...(await compare(await readAllRecords(world, person))))
  }
  for (const { close } of streams) close()
  await endServer(server, 'SIGTERM')
  return { kills, writes: world.accepted, wrong }
}

/** Repeats something until the server is gone, to which `fetch` answers with a TypeError. */
async function repeat(work: () => Promise<unknown>): Promise<void> {
  try {
    for (;;) {
      await work()
      // Others get their turn, too.
      await pause(0)
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}

async function actAtRandom(world: HistoryWorld): Promise<void> {
  const { choices, people } = world
  let rest = choices.random() * API_ACTIONS.reduce((sum, [weight]) => sum + weight, 0)
  const chosen = API_ACTIONS.find(([weight]) => {
    rest -= weight
    return rest < 0
  })
  await chosen?.[1](world, choices.pick([people.owner, people.member]) ?? people.owner)
}

if (process.argv.includes('--full')) {
  const result = await killWhileCopying(100)
  console.log(result)
  assert.deepEqual(result.wrong, [])
}
