import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import type { Found } from './ssrf.ts'

const PROGRAM = new URL('./ssrf.ts', import.meta.url).pathname

/** A proxy that the sender must not know of: an address behind the wall, where it would be noticed. */
const PROXY = 'http://127.0.0.1:9'
const env = {
  ...process.env,
  ...{ HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, ALL_PROXY: PROXY, http_proxy: PROXY },
  ...{ https_proxy: PROXY, all_proxy: PROXY, NODE_USE_ENV_PROXY: '1', NO_PROXY: '' },
}

/** A network of its own in which every address there is leads to this machine. */
const EVERYWHERE = `ip link set lo up && ip route add local 0.0.0.0/0 dev lo &&
  ip -6 route add local ::/0 dev lo && exec "$0" "$@"`
const unshared = ['-rn', '-n'].find(
  (flags) => spawnSync('unshare', [flags, 'sh', '-c', EVERYWHERE, 'true']).status === 0,
)

function judge(found: Found) {
  assert.deepEqual(found.wrong, [])
  assert.deepEqual(found.hits, [])
  assert.ok(found.probes > 300, `${found.probes} probes`)
  // Who checks a name and lets the client look it up again is found out.
  assert.deepEqual(found.hitsOfControl, ['127.0.0.1'])
}

test('no URL, name, redirect or proxy leads a webhook to this machine', () => {
  const told = execFileSync(process.execPath, [PROGRAM, 'loopback'], { env, encoding: 'utf8' })
  judge(JSON.parse(told))
})

// Such a network cannot be had on every machine; then only the addresses of this one were watched.
if (unshared) {
  test('nor to any other address behind the wall', () => {
    const inside = [unshared, 'sh', '-c', EVERYWHERE, process.execPath, PROGRAM, 'everywhere']
    judge(JSON.parse(execFileSync('unshare', inside, { env, encoding: 'utf8' })))
  })
}
