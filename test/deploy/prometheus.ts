import { readFileSync } from 'node:fs'
import { parseDocument } from 'yaml'

export const ALERTS = 'deploy/prometheus/alerts.yaml'

/** Parses all documents of a YAML file. Throws on errors and warnings. */
export function readYamlDocuments(path: string): unknown[] {
  const texts = readFileSync(path, 'utf8').split(/^---$/m)
  return texts.map((text) => {
    const document = parseDocument(text, { merge: true, uniqueKeys: true })
    const [fault] = [...document.errors, ...document.warnings]
    if (fault) throw new Error(`${path}: ${fault.message}`)
    return document.toJS() as unknown
  })
}

/** A Prometheus expression and its location. */
export interface PrometheusExpression {
  where: string
  text: string
}

interface GrafanaDashboard {
  panels: { title: string; type: string; targets?: { expr: string }[] }[]
}

/** Reads the expressions of all panels of a Grafana dashboard. */
export function readDashboardExpressions(path: string): PrometheusExpression[] {
  const { panels } = JSON.parse(readFileSync(path, 'utf8')) as GrafanaDashboard
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: title, text: expr })),
  )
}

interface AlertRulesFile {
  groups: { rules: PrometheusAlert[] }[]
}

export interface PrometheusAlert {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

/** Reads the alerts of a rules file. */
export const readAlerts = (path: string): PrometheusAlert[] =>
  readYamlDocuments(path).flatMap((file) =>
    (file as AlertRulesFile).groups.flatMap(({ rules }) => rules),
  )

/** Matches names with the prefix of a metric, and everything else that has matchers. */
const SELECTOR = /\b((?:docket|nodejs|process)_\w+|up|\w+(?=\{))(?![\w(])(\{[^}]*\})?/g

/** Labels that Prometheus adds to each series. */
const ADDED_LABELS = ['job', 'instance', 'le']

/**
 * Finds metrics and labels of an expression that no server provides. `served` contains the labels
 * of each series by its name.
 */
export function findExpressionFaults(
  { where, text }: PrometheusExpression,
  served: ReadonlyMap<string, Set<string>>,
) {
  const faults: string[] = []
  const knownLabels = new Set(ADDED_LABELS)
  for (const [, name = '', matchers = ''] of text.matchAll(SELECTOR)) {
    const labels = name === 'up' ? new Set<string>() : served.get(name)
    if (!labels) faults.push(`${where}: nobody serves ${name}`)
    for (const label of labels ?? []) knownLabels.add(label)
    for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=|!)/g)) {
      if (!ADDED_LABELS.includes(label) && !labels?.has(label)) {
        faults.push(`${where}: ${name} has no label ${label}`)
      }
    }
  }
  for (const [, list = ''] of text.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list.split(', ')) {
      if (!knownLabels.has(label)) faults.push(`${where}: nothing in it has a label ${label}`)
    }
  }
  return faults
}

/** Parses the names and labels of all series of a metrics page, including those without values. */
export function parseSeries(text: string): Map<string, Set<string>> {
  const series = new Map<string, Set<string>>()
  for (const line of text.split('\n')) {
    const [, declared, type] = /^# TYPE (\w+) (\w+)/.exec(line) ?? []
    if (type === 'histogram') {
      for (const part of ['bucket', 'sum', 'count']) series.set(`${declared}_${part}`, new Set())
    }
    const [, name = declared, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
    if (name === undefined) continue
    const knownLabels = series.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) knownLabels.add(label)
    series.set(name, knownLabels)
  }
  return series
}
