import { foldCase } from '#lib/fold-case.ts'
import { IMPORT_FIELDS, type ImportField } from '#resources/imports/internal.ts'
import type { ImportPlan } from '#resources/imports/load.ts'
import { parseImportedDay } from './parse-values.ts'

/**
 * Column names by the field that such a column holds, in lower case and without accents: in English,
 * German, French, Spanish, Italian, Portuguese, Dutch, Polish and Japanese. Names on a later line are
 * less certain: such a column is taken if no other is there.
 */
const COLUMN_NAMES: Record<ImportField, RegExp[]> = {
  title: [
    /^(title|task|task[ _]name|task[ _]title|summary|subject|titel|aufgabe|aufgabenname|betreff)$/,
    /^(titre|resume|tache|nom de la tache|titulo|resumen|tarea|nombre de (la )?tarea|titolo|attivita|riepilogo|resumo|tarefa|nome da tarefa|taak|taaknaam|samenvatting|tytul|zadanie|nazwa zadania|podsumowanie|タイトル|件名|タスク|タスク名|要約)$/,
    /^(tasks|item|item name|to[- ]?dos?|issue|card name|what|vorgang|vorgangsname|asunto|onderwerp|temat)$/,
    // Beside one of those above, a name may be that of a person.
    /^(name|bezeichnung|nom|nombre|nome|naam|nazwa|名前)$/,
    // Beside a name, the content is more likely a description.
    /^content$/,
  ],
  description: [
    /^(description|details|beschreibung|descripcion|descrizione|descricao|beschrijving|omschrijving|opis|説明|詳細|内容)$/,
    /^(notes?|content|body|task content|notizen?|bemerkungen?|notas?|remarques?|observaciones|observacoes|opmerkingen|notities|notatki|uwagi|メモ|備考)$/,
  ],
  status: [
    /^(status|state|zustand|stand|statut|etat|estado|stato|stan|状態|ステータス|状況)$/,
    /^(stage|progress|list|list name|column|section|section\/column|bucket|bucket name|fortschritt|liste?|lista|colonne|columna|coluna|kolom|kolumna)$/,
  ],
  priority: [
    /^(priority|prio|prioritat|priorite|prioridad|priorita|prioridade|prioriteit|priorytet|優先度|優先順位)$/,
    /^(importance|urgency|wichtigkeit|dringlichkeit|urgence|importancia|urgencia|重要度|緊急度)$/,
  ],
  assignees: [
    /^(assignees?|assigned[ _]to|owner|responsible|zustandig|zugewiesen( an)?|verantwortlich)$/,
    /^(assignee? a|responsable|personne assignee|attribuee? a|asignad[oa]( a)?|persona asignada|assegnat[oa]( a)?|assegnatario|responsabile|atribuid[oa] a|responsavel|toegewezen( aan)?|verantwoordelijke|przypisan[eoya]( do)?|osoba przypisana|odpowiedzialny|担当者?)$/,
    /^(assign|person|people|who|bearbeiter|personen)$/,
  ],
  tags: [
    /^(tags?|labels?|schlagworter|etiketten|etiquettes?|etiquetas?|etichett[ae]|etykiet[ay]|タグ|ラベル)$/,
    /^(categor(y|ies)|keywords|kategorien?|bezeichnungen|categorie?s?|categorias?|kategori[ae]|カテゴリー?)$/,
  ],
  project: [
    /^(project|project[ _]name|projekt|projektname|projet|nom du projet|proyecto|progetto|projeto|プロジェクト)$/,
    /^(projects|team)$/,
  ],
  start_date: [
    /^(start|start[ _]date|starts|start on|beginn|anfang|startdatum|debut|date de debut|inicio|fecha de inicio|inizio|data (di )?inizio|data de inicio|begindatum|start|data rozpoczecia|開始日)$/,
  ],
  due_date: [
    /^(due|due[ _]date|deadline|due on|due by|fallig|fallig am|falligkeit|falligkeitsdatum|frist)$/,
    /^(echeance|date d['’]echeance|date limite|fecha limite|fecha de vencimiento|vencimiento|scadenza|data (di )?scadenza|prazo|vencimento|data de vencimento|data limite|vervaldatum|einddatum|termin|data wykonania|期限日?|期日|締め?切り?日?)$/,
    /^(end date|finish|finish date|ende|enddatum|date de fin|fecha de fin|data (di )?fine|終了日)$/,
  ],
  estimate: [
    // ClickUp has the same in milliseconds without the last word.
    /^time estimated text$/,
    /^(estimate|estimated[ _](time|hours)|time[ _]estimated?|original estimate|aufwand|schatzung|estimation|estimacion|stima|estimativa|schatting|szacowany czas|見積もり?)$/,
  ],
  parent: [/^(parent|parent[ _]id|parent[ _]task|parent issue|ubergeordnet)$/],
  blocked_by: [
    /^(blocked[ _]by|blocked by \(dependencies\)|depends[ _]on|dependencies|blockiert von)$/,
    /^(predecessors?|vorganger)$/,
  ],
  id: [
    /^(id|key|number|short[ _]id|task[ _]id|issue[ _]key|nummer)$/,
    /^(#|nr\.?|no\.?|issue[ _]id|vorgangsnummer)$/,
  ],
  completed: [
    /^(completed|completed[ _](at|date|on|time)|done|closed|closed[ _](at|date)|erledigt( am)?)$/,
  ],
  comments: [
    /^(comments?|kommentare?|commentaires?|comentarios?|commenti|commento|komentarze?|コメント)$/,
  ],
}

/** Fields of which one task has several values, each of which may have a column. */
export const REPEATED_FIELDS: ReadonlySet<ImportField> = new Set([
  'description',
  'assignees',
  'tags',
  'blocked_by',
  'comments',
])

const NAMES = Object.values(COLUMN_NAMES).flat()

/**
 * Guesses whether the first line of a table names its columns: it has a known name, or several cells
 * of which none is a value. Rows that somebody has pasted often have no such line.
 */
export const guessHeadings = (cells: readonly string[]): boolean =>
  countColumnNames(cells) > 0 || (cells.length > 1 && !cells.some(isValue))

/** How many cells are names of columns that are known to hold something. */
export const countColumnNames = (cells: readonly string[]): number =>
  cells.filter((cell) => NAMES.some((names) => names.test(foldName(cell)))).length

const isValue = (cell: string): boolean =>
  /^[\d.,:%]+$|@/.test(cell) || parseImportedDay(cell) !== undefined

/** In lower case, and without the accents that many files leave out. */
const foldName = (name: string): string =>
  foldCase(name)
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .trim()

/**
 * Guesses from the column names which column holds which field. `given` are the names as the file
 * has them: of tags, comments and the like, all columns of one name are taken. A table without a known
 * name for titles has them in its first other column.
 */
export function guessColumns(
  headers: readonly string[],
  given: readonly string[],
): ImportPlan['columns'] {
  const taken = new Set<string>()
  const columns = IMPORT_FIELDS.flatMap((field) => {
    const [column] = COLUMN_NAMES[field].flatMap((names) =>
      headers.filter((header) => names.test(foldName(header)) && !taken.has(header)),
    )
    if (column === undefined) return []
    const name = foldName(given[headers.indexOf(column)] ?? '')
    const all = REPEATED_FIELDS.has(field)
      ? headers.filter((_, at) => foldName(given[at] ?? '') === name)
      : [column]
    for (const one of all) taken.add(one)
    return all.map((one) => ({ field, column: one }))
  })
  if (columns.some(({ field }) => field === 'title')) return columns
  const isFree = (header: string) => !columns.some(({ column }) => column === header)
  const column =
    headers.find((header, at) => given[at] !== '' && isFree(header)) ?? headers.find(isFree)
  return column === undefined ? columns : [{ field: 'title', column }, ...columns]
}
