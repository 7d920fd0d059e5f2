import { fold } from '#lib/fold.ts'
import { FIELDS, type Field } from '#resources/imports/internal.ts'
import type { Plan } from '#resources/imports/plan.ts'

/** What the columns of tables are called, by what they hold. */
const NAMES: Record<Field, RegExp> = {
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

/** Which column holds which field, by what they are called. */
export function guessColumns(headers: readonly string[]): Plan['columns'] {
  return FIELDS.flatMap((field) => {
    const column = headers.find((header) => NAMES[field].test(fold(header)))
    return column === undefined ? [] : [{ field, column }]
  })
}
