import { foldCase } from '#lib/fold-case.ts'
import { IMPORT_FIELDS, type ImportField } from '#resources/imports/internal.ts'
import type { ImportPlan } from '#resources/imports/plan.ts'

/** Column names in English and German, by the field that such a column holds. */
const COLUMN_NAMES: Record<ImportField, RegExp> = {
  title: /^(title|name|task|task name|summary|subject|titel|aufgabe|bezeichnung)$/,
  description: /^(description|details|notes?|body|beschreibung|notizen?)$/,
  status: /^(status|state|list|column|section|zustand|stand)$/,
  priority: /^(priority|prio|priorit(ä|a)t)$/,
  assignees: /^(assignees?|assigned to|owner|responsible|zust(ä|a)ndig|zugewiesen( an)?)$/,
  tags: /^(tags?|labels?|categor(y|ies)|schlagw(o|ö)rter|etiketten)$/,
  project: /^(project|project name|team|projekt)$/,
  start_date: /^(start|start[ _]date|starts|beginn|startdatum)$/,
  due_date: /^(due|due[ _]date|deadline|due on|f(ä|a)llig|f(ä|a)llig am|f(ä|a)lligkeit)$/,
  estimate: /^(estimate|estimated time|time estimate|aufwand|sch(ä|a)tzung)$/,
  parent: /^(parent|parent[ _]id|parent task|(ü|u)bergeordnet)$/,
  blocked_by: /^(blocked[ _]by|depends on|dependencies|blockiert von)$/,
  id: /^(id|key|number|short[ _]id|issue key|nummer)$/,
  completed: /^(completed|completed[ _]at|done|closed|erledigt( am)?)$/,
}

/** Guesses from the column names which column holds which field. */
export function guessColumns(headers: readonly string[]): ImportPlan['columns'] {
  return IMPORT_FIELDS.flatMap((field) => {
    const column = headers.find((header) => COLUMN_NAMES[field].test(foldCase(header)))
    return column === undefined ? [] : [{ field, column }]
  })
}
