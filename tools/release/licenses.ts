import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReleasedPackage } from './lockfile.ts'

const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i

/**
 * Collects the license texts of the released packages, which must go with their code. Packages with
 * the same text share it.
 */
export function formatLicenses(root: string, packages: readonly ReleasedPackage[]): string {
  const byText = new Map<string, string[]>()
  for (const { name, version, license, directory } of packages) {
    const files = readdirSync(join(root, directory)).filter((file) => LICENSE_FILE.test(file))
    const texts = files
      .sort()
      .map((file) => readFileSync(join(root, directory, file), 'utf8').trim())
    const text = texts.join('\n\n') || `License: ${license ?? 'see the package'}`
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`])
  }
  const sections = [...byText].map(
    ([text, names]) => `${[...new Set(names)].join('\n')}\n\n${text}`,
  )
  return [
    'Docket contains code of the following packages, under the licenses below their names.',
    ...sections,
  ]
    .join(`\n\n${'-'.repeat(80)}\n\n`)
    .concat('\n')
}
