import { foldCase } from '#lib/fold-case.ts'
import { IMPORT_FIELDS, type ImportField } from '#resources/imports/internal.ts'
import type { ImportPlan } from '#resources/imports/plan.ts'

/**
 * Column names in English and German, by the field that such a column holds. Names on a later line
 * are less certain: such a column is taken if no other is there.
 */
const COLUMN_NAMES: Record<ImportField, RegExp[]> = {
  title: [
    /^(title|name|task|task[ _]name|task[ _]title|summary|subject|titel|aufgabe|aufgabenname|betreff)$/,
    /^(tasks|item|item name|to-?do|issue|card name|content|what|vorgang|vorgangsname|bezeichnung)$/,
  ],
  description: [
    /^(description|details|beschreibung)$/,
    /^(notes?|body|task content|notizen?|bemerkungen?)$/,
  ],
  status: [
    /^(status|state|zustand|stand)$/,
    /^(stage|progress|list|list name|column|section|section\/column|bucket|bucket name|fortschritt)$/,
  ],
  priority: [/^(priority|prio|priorit(ä|a)t)$/, /^(importance|urgency|wichtigkeit|dringlichkeit)$/],
  assignees: [
    /^(assignees?|assigned[ _]to|owner|responsible|zust(ä|a)ndig|zugewiesen( an)?|verantwortlich)$/,
    /^(assign|person|people|who|bearbeiter|personen)$/,
  ],
  tags: [
    /^(tags?|labels?|schlagw(o|ö)rter|etiketten)$/,
    /^(categor(y|ies)|keywords|kategorien?|bezeichnungen)$/,
  ],
  project: [/^(project|project[ _]name|projekt|projektname)$/, /^(projects|team)$/],
  start_date: [/^(start|start[ _]date|starts|start on|beginn|anfang|startdatum)$/],
  due_date: [
    /^(due|due[ _]date|deadline|due on|due by|f(ä|a)llig|f(ä|a)llig am|f(ä|a)lligkeit|f(ä|a)lligkeitsdatum|frist)$/,
    /^(end date|finish|finish date|ende|enddatum)$/,
  ],
  estimate: [
    // ClickUp has the same in milliseconds without the last word.
    /^time estimated text$/,
    /^(estimate|estimated[ _](time|hours)|time[ _]estimated?|original estimate|aufwand|sch(ä|a)tzung)$/,
  ],
  parent: [/^(parent|parent[ _]id|parent[ _]task|parent issue|(ü|u)bergeordnet)$/],
  blocked_by: [
    /^(blocked[ _]by|blocked by \(dependencies\)|depends[ _]on|dependencies|blockiert von)$/,
    /^(predecessors?|vorg(ä|a)nger)$/,
  ],
  id: [
    /^(id|key|number|short[ _]id|task[ _]id|issue[ _]key|nummer)$/,
    /^(#|nr\.?|no\.?|issue[ _]id|vorgangsnummer)$/,
  ],
  completed: [
    /^(completed|completed[ _](at|date|on)|done|closed|closed[ _](at|date)|erledigt( am)?)$/,
  ],
}

/**
 * Guesses from the column names which column holds which field. `given` are the names as the file
 * has them. A table without a known name for titles has them in its first other column.
 */
export function guessColumns(
  headers: readonly string[],
  given: readonly string[],
): ImportPlan['columns'] {
  const columns = IMPORT_FIELDS.flatMap((field) => {
    const [column] = COLUMN_NAMES[field].flatMap((names) =>
      headers.filter((header) => names.test(foldCase(header))),
    )
    return column === undefined ? [] : [{ field, column }]
  })
  if (columns.some(({ field }) => field === 'title')) return columns
  const isFree = (header: string) => !columns.some(({ column }) => column === header)
  const column =
    headers.find((header, at) => given[at] !== '' && isFree(header)) ?? headers.find(isFree)
  return column === undefined ? columns : [{ field: 'title', column }, ...columns]
}
