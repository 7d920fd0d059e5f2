import type { CheckResult, Exchange } from './check.ts'

const MARKS = { passed: 'ok  ', failed: 'FAIL', 'not run': '-   ' } as const

/** The results for people: a line for each check, and below a failed one why and what to do. */
export function formatReport(results: readonly CheckResult[]): string {
  const lines = results.flatMap((result, at) => [
    ...(result.group === results[at - 1]?.group ? [] : ['', result.group]),
    `  ${MARKS[result.outcome]} ${result.name}${result.outcome === 'failed' || result.seen === '' ? '' : `: ${result.seen}`}`,
    ...explain(result).map(([label, text]) => indent(`${label.padEnd(9)}${text}`)),
  ])
  return `${lines.slice(1).join('\n')}\n\n${countOutcomes(results)}\n`
}

/** What is said of a failed check, by its label. */
function explain(result: CheckResult): [label: string, text: string][] {
  const { outcome, expected = '', seen, advice = '', exchange } = result
  if (outcome !== 'failed') return []
  const { request, reply }: Exchange = exchange ?? { request: 'none', reply: 'none' }
  return [
    ['expected', expected],
    ['saw', seen],
    ['request', request],
    ['reply', reply],
    ['advice', advice],
  ]
}

const indent = (text: string): string => `         ${text.replaceAll('\n', `\n${' '.repeat(18)}`)}`

/** Such as `40 passed, 1 failed, 3 not run`. */
function countOutcomes(results: readonly CheckResult[]): string {
  const count = (wanted: string) => results.filter(({ outcome }) => outcome === wanted).length
  const skipped = count('not run')
  const rest = skipped > 0 ? `, ${skipped} not run` : ''
  return `${count('passed')} passed, ${count('failed')} failed${rest}`
}

/** The results as JUnit XML, with a suite for each group. */
export function formatJunit(results: readonly CheckResult[]): string {
  const groups = [...new Set(results.map(({ group }) => group))]
  const suites = groups.map((group) => {
    const cases = results.filter((result) => result.group === group)
    const failures = cases.filter(({ outcome }) => outcome === 'failed').length
    const skipped = cases.filter(({ outcome }) => outcome === 'not run').length
    return `  <testsuite name="${escapeXml(group)}" tests="${cases.length}" failures="${failures}" skipped="${skipped}">
${cases.map(formatCase).join('\n')}
  </testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`
}

function formatCase(result: CheckResult): string {
  const { group, name, outcome, seen, expected } = result
  const head = `    <testcase classname="${escapeXml(group)}" name="${escapeXml(name)}"`
  if (outcome === 'passed') return `${head}/>`
  if (outcome === 'not run') return `${head}><skipped message="${escapeXml(seen)}"/></testcase>`
  const text = explain(result).map(([label, line]) => `${label}: ${line}`)
  const message = escapeXml(`expected ${expected}, saw ${seen}`)
  return `${head}><failure message="${message}">${escapeXml(text.join('\n'))}</failure></testcase>`
}

const XML_ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Characters that XML 1.0 cannot contain at all are replaced (its section 2.2). */
const escapeXml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => XML_ESCAPES[character] ?? character)
