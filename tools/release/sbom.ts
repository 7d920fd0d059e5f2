import { createHash } from 'node:crypto'
import { isNodePackage, type ReleasedPackage } from './lockfile.ts'

/** The release that a bill of materials describes. */
export interface ReleaseIdentity {
  version: string
  commit: string
  license: string
}

/**
 * Writes the software bill of materials of a release as CycloneDX 1.6 JSON. It has no time stamp and
 * derives its serial number from its content, so that the same commit gives the same file.
 */
export function formatSbom(
  { version, commit, license }: ReleaseIdentity,
  packages: readonly ReleasedPackage[],
): string {
  const application = {
    type: 'application',
    'bom-ref': `docket@${version}`,
    name: 'docket',
    version,
    licenses: [{ license: { id: license } }],
    properties: [{ name: 'docket:commit', value: commit }],
  }
  // A package can be installed twice, below packages that need different versions of another one.
  const byUrl = new Map(packages.map((one) => [packageUrl(one), one]))
  const urlOf = new Map(packages.map((one) => [one.directory, packageUrl(one)]))
  const content = {
    metadata: { component: application },
    components: [...byUrl].map(([url, one]) => componentOf(url, one)),
    dependencies: [
      { ref: application['bom-ref'], dependsOn: [...byUrl.keys()] },
      ...[...byUrl].map(([ref, { requires }]) => ({
        ref,
        dependsOn: [...new Set(requires.flatMap((directory) => urlOf.get(directory) ?? []))],
      })),
    ],
  }
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${contentUuid(JSON.stringify(content))}`,
    version: 1,
    ...content,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function componentOf(url: string, { name, version, license, integrity = '' }: ReleasedPackage) {
  const [, group, plain = name] = /^(@[^/]+)\/(.*)$/.exec(name) ?? []
  const [, sha512] = /^sha512-(.*)$/.exec(integrity) ?? []
  return {
    type: 'library',
    'bom-ref': url,
    ...(group !== undefined && { group }),
    name: plain,
    version,
    ...(license !== undefined && { licenses: [licenseChoice(license)] }),
    ...(sha512 !== undefined && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }],
    }),
    // Advisories about Node name it by this, and not by the package that carries its binary.
    ...(isNodePackage(name) && { cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*` }),
    purl: url,
  }
}

const licenseChoice = (license: string) =>
  /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }

const packageUrl = ({ name, version }: ReleasedPackage): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

/** A UUID made of a hash (RFC 9562, version 8). */
function contentUuid(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
