import { readFileSync } from 'node:fs'
import { parseDocument } from 'yaml'

/** What of a file in YAML is in it, each document by itself; throws where it is none. */
export function yamlIn(path: string): unknown[] {
  const texts = readFileSync(path, 'utf8').split(/^---$/m)
  return texts.map((text) => {
    const document = parseDocument(text, { merge: true, uniqueKeys: true })
    const [fault] = [...document.errors, ...document.warnings]
    if (fault) throw new Error(`${path}: ${fault.message}`)
    return document.toJS() as unknown
  })
}

/** An expression of Prometheus and where it stands. */
export interface Expression {
  where: string
  text: string
}

interface Dashboard {
  panels: { title: string; type: string; targets?: { expr: string }[] }[]
}

/** What the panels of a Grafana dashboard ask for. */
export function expressionsOfDashboard(path: string): Expression[] {
  const { panels } = JSON.parse(readFileSync(path, 'utf8')) as Dashboard
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: title, text: expr })),
  )
}

interface Rules {
  groups: { rules: Alert[] }[]
}

export interface Alert {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

/** The alerts of a file of rules. */
export const alertsIn = (path: string): Alert[] =>
  yamlIn(path).flatMap((file) => (file as Rules).groups.flatMap(({ rules }) => rules))

/** A metric by the beginning of its name, or whatever else has matchers. */
const SELECTOR = /\b((?:docket|nodejs|process)_\w+|up|\w+(?=\{))(?![\w(])(\{[^}]*\})?/g

/** What Prometheus adds to each series when it reads them. */
const ADDED = ['job', 'instance', 'le']

/**
 * What of an expression a server does not serve: metrics by name, labels by metric. `served` has the
 * labels of each series by its name.
 */
export function faultsOf({ where, text }: Expression, served: ReadonlyMap<string, Set<string>>) {
  const faults: string[] = []
  const known = new Set(ADDED)
  for (const [, name = '', matchers = ''] of text.matchAll(SELECTOR)) {
    const labels = name === 'up' ? new Set<string>() : served.get(name)
    if (!labels) faults.push(`${where}: nobody serves ${name}`)
    for (const label of labels ?? []) known.add(label)
    for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=|!)/g)) {
      if (!ADDED.includes(label) && !labels?.has(label)) {
        faults.push(`${where}: ${name} has no label ${label}`)
      }
    }
  }
  for (const [, list = ''] of text.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list.split(', ')) {
      if (!known.has(label)) faults.push(`${where}: nothing in it has a label ${label}`)
    }
  }
  return faults
}

/** The labels of every series in the text for Prometheus, by its name; of those without any yet, too. */
export function seriesIn(text: string): Map<string, Set<string>> {
  const series = new Map<string, Set<string>>()
  for (const line of text.split('\n')) {
    const [, declared, type] = /^# TYPE (\w+) (\w+)/.exec(line) ?? []
    if (type === 'histogram') {
      for (const part of ['bucket', 'sum', 'count']) series.set(`${declared}_${part}`, new Set())
    }
    const [, name = declared, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
    if (name === undefined) continue
    const known = series.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    series.set(name, known)
  }
  return series
}
