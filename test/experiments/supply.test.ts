import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { newPlace, serve } from '../cli/run.ts'
import { faultsOfSupply, type Lock } from './supply.ts'

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const lock: Lock = read('package-lock.json')
const installed: Lock = read('node_modules/.package-lock.json')
const manifest = read('package.json')

test('every package comes from the registry, is what the lockfile names, and runs no script', () => {
  assert.deepEqual(faultsOfSupply(lock, installed, manifest.allowScripts), [])
})

test('all versions that are asked for are exact', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  const loose = all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))
  assert.deepEqual(loose, [])
})

test('another tarball, a script and a package from elsewhere are found out', () => {
  const path = 'node_modules/fastify'
  const changed = (of: Lock, more: object): Lock => ({
    packages: { ...of.packages, [path]: { ...of.packages[path], ...more } },
  })
  const faults = (one: Lock, other: Lock) =>
    faultsOfSupply(one, other, manifest.allowScripts).join()
  const altered = changed(lock, { integrity: `sha512-${'A'.repeat(86)}==` })
  assert.match(faults(altered, installed), /fastify is not what the lockfile names/)
  const scripted = changed(installed, { hasInstallScript: true })
  assert.match(faults(lock, scripted), /fastify has an install script/)
  const weak = { integrity: 'sha1-AAAA' }
  assert.match(faults(changed(lock, weak), changed(installed, weak)), /installed without sha512/)
  for (const resolved of ['git+ssh://git@example.com/a.git', 'https://example.com/a.tgz']) {
    assert.match(faults(changed(lock, { resolved }), installed), /fastify is not from the registry/)
  }
})

test('all mistakes in the settings are told at once, each in a line, and nothing is started', async (t) => {
  const wrong = {
    DOCKET_PORT: '70000',
    DOCKET_BASE_URL: 'https://example.com/path',
    DOCKET_SECRET: 'short',
    DOCKET_DATABASE_URL: 'mysql://localhost',
    DOCKET_DEMO: 'yes',
    DOCKET_LIMIT_FREE: '0',
    DOCKET_LIMIT_PAID: '5e3',
    DOCKET_UNAUTHENTICATED_LIMIT: '-1',
    DOCKET_DEFAULT_PLAN: 'gold',
    DOCKET_WEBHOOK_ALLOW_HTTP: 'true',
    DOCKET_WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8,10.0.0.0/33',
    DOCKET_EVENT_RETENTION_DAYS: '0.5',
    DOCKET_TRASH_DAYS: 'never',
    DOCKET_TRUST_PROXY: 'yes',
    DOCKET_LOG_LEVEL: 'loud',
  }
  const place = await newPlace(wrong)
  t.after(place.remove)
  const { serves, ended } = await serve(place.env)
  const { code, stderr } = await ended
  assert.deepEqual([serves, code], [false, 78])
  const lines = stderr.trim().split('\n')
  const told = lines.map((line) => line.split(' ')[0])
  assert.deepEqual(told.toSorted(), Object.keys(wrong).toSorted())
  assert.doesNotMatch(stderr, /short"/, 'a secret is not repeated')
})
