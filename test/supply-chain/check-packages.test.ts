import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { newInstallation, spawnServer } from '../cli/run-cli.ts'
import { findPackageFaults, type PackageLock } from './check-packages.ts'

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const lock: PackageLock = read('package-lock.json')
const installed: PackageLock = read('node_modules/.package-lock.json')
const manifest = read('package.json')

test('every package comes from the registry, matches the lockfile, and runs no install script', () => {
  assert.deepEqual(findPackageFaults(lock, installed, manifest.allowScripts), [])
})

test('package.json pins exact versions', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  const inexact = all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))
  assert.deepEqual(inexact, [])
})

test('reports all invalid settings at once, one per line, and does not start', async (t) => {
  const wrong = {
    DOCKET_PORT: '70000',
    DOCKET_BASE_URL: 'https://example.com/path',
    DOCKET_SECRET: 'short',
    DOCKET_DATABASE_URL: 'mysql://localhost',
    DOCKET_DEMO: 'yes',
    DOCKET_LIMIT_FREE: '0',
    DOCKET_LIMIT_PAID: '5e3',
    DOCKET_AUDIT_LOG: 'true',
    DOCKET_WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8,10.0.0.0/33',
    DOCKET_PROCESSES: '0.5',
    DOCKET_WORKSPACE_BYTES: '-1',
    DOCKET_TRUST_PROXY: 'yes',
    DOCKET_LOG_LEVEL: 'loud',
  }
  const place = await newInstallation(wrong)
  t.after(place.remove)
  const { serves, ended } = await spawnServer(place.env)
  const { code, stderr } = await ended
  assert.deepEqual([serves, code], [false, 78])
  const lines = stderr.trim().split('\n')
  const reported = lines.map((line) => line.split(' ')[0])
  assert.deepEqual(reported.toSorted(), Object.keys(wrong).toSorted())
  assert.doesNotMatch(stderr, /short"/, 'a secret is not repeated')
})
