import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import type { SsrfResult } from './ssrf.ts'

const PROGRAM = join(import.meta.dirname, 'ssrf.ts')

/** A proxy that the sender must ignore. Its address is blocked, so its use would be noticed. */
const PROXY = 'http://127.0.0.1:9'
const env = {
  ...process.env,
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  ALL_PROXY: PROXY,
  http_proxy: PROXY,
  https_proxy: PROXY,
  all_proxy: PROXY,
  NODE_USE_ENV_PROXY: '1',
  NO_PROXY: '',
}

/** A network namespace in which every address leads to this machine. */
const EVERYWHERE = `ip link set lo up && ip route add local 0.0.0.0/0 dev lo &&
  ip -6 route add local ::/0 dev lo && exec "$0" "$@"`
const unshareFlags = ['-rn', '-n'].find(
  (flags) => spawnSync('unshare', [flags, 'sh', '-c', EVERYWHERE, 'true']).status === 0,
)

function assertNoHits(result: SsrfResult) {
  assert.deepEqual(result.wrong, [])
  assert.deepEqual(result.hits, [])
  assert.ok(result.probes > 300, `${result.probes} probes`)
}

test('no URL, name, redirect or proxy leads a webhook to this machine (SSRF)', () => {
  const output = execFileSync(process.execPath, [PROGRAM, 'loopback'], { env, encoding: 'utf8' })
  assertNoHits(JSON.parse(output))
})

// Not every machine allows such a namespace; without it only this machine's addresses are watched.
if (unshareFlags) {
  test('no URL, name, redirect or proxy leads a webhook to any blocked address', () => {
    const args = [unshareFlags, 'sh', '-c', EVERYWHERE, process.execPath, PROGRAM, 'everywhere']
    assertNoHits(JSON.parse(execFileSync('unshare', args, { env, encoding: 'utf8' })))
  })
}
