import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sharing, systemResolve } from './resolve.ts'

/** Lookups that end when the test says so. */
function slowly() {
  const asked: string[] = []
  const end = new Map<string, (addresses: string[]) => void>()
  const resolve = (hostname: string) => {
    asked.push(hostname)
    return new Promise<string[]>((found) => end.set(hostname, found))
  }
  return { asked, end, resolve }
}

test('who asks for a name that is being looked up gets the same answer, later ones anew', async () => {
  const { asked, end, resolve } = slowly()
  const lookUp = sharing(resolve, 1_000)
  const both = Promise.all([lookUp('a.example'), lookUp('a.example')])
  end.get('a.example')?.(['192.0.2.1'])
  assert.deepEqual(await both, [['192.0.2.1'], ['192.0.2.1']])
  const later = lookUp('a.example')
  end.get('a.example')?.(['192.0.2.2'])
  assert.deepEqual(await later, ['192.0.2.2'])
  assert.deepEqual(asked, ['a.example', 'a.example'])
})

test('few lookups are made at once, and none that nobody waits for any longer', async () => {
  const { asked, end, resolve } = slowly()
  const lookUp = sharing(resolve, 50)
  const first = Array.from({ length: 12 }, (_, at) => lookUp(`${at}.example`))
  const lost = Promise.allSettled(first.slice(4))
  assert.equal(asked.length, 4)
  await sleep(60)
  const fresh = lookUp('fresh.example')
  const joined = lookUp('11.example')
  end.get('0.example')?.(['192.0.2.1'])
  await first[0]
  await sleep(0)
  assert.deepEqual(asked.slice(4), ['11.example'])
  end.get('11.example')?.(['192.0.2.2'])
  assert.deepEqual(await joined, ['192.0.2.2'])
  end.get('fresh.example')?.(['192.0.2.3'])
  assert.deepEqual(await fresh, ['192.0.2.3'])
  const states = (await lost).map(({ status }) => status)
  assert.deepEqual(states, [...Array<string>(7).fill('rejected'), 'fulfilled'])
})

test('names that hang hold up each other, and not those that are answered', async () => {
  const { asked, end, resolve } = slowly()
  const lookUp = sharing(resolve, 60_000)
  const calm = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example']
  const ask = async (name: string) => {
    const found = lookUp(name)
    end.get(name)?.(['192.0.2.1'])
    await found
  }
  for (const name of calm) await ask(name)
  for (let at = 0; at < 100; at += 1) void lookUp(`${at}.hanging.example`)
  asked.length = 0
  for (const name of calm) await ask(name)
  assert.deepEqual(asked, calm)
  const all = calm.map((name) => lookUp(name))
  assert.equal(asked.length, calm.length + 4, 'they have half of the places')
  for (const name of calm) end.get(name)?.(['192.0.2.1'])
  await all[0]
  end.get('e.example')?.(['192.0.2.1'])
  await Promise.all(all)
})

test('names are resolved as this machine does it', async () => {
  const found = await systemResolve('localhost')
  assert.ok(found.some((address) => address === '127.0.0.1' || address === '::1'))
  await assert.rejects(systemResolve('nobody.invalid'))
})
