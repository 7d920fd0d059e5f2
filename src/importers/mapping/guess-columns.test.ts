import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guessColumns } from './guess-columns.ts'

/** Columns that hold the titles rather than one called `Name`, which may hold people. */
const TITLE_COLUMNS = [
  'Task',
  'Task name',
  'Title',
  'Summary',
  'Subject',
  'Card Name',
  'To-do',
  'To do',
  'Todos',
  'Tasks',
  'Item',
  'Issue',
  'What',
  'Aufgabe',
  'Titel',
  'Betreff',
  'Vorgang',
  'Tâche',
  'Tarea',
  'Asunto',
  'Onderwerp',
  'Temat',
  'タスク',
]

test('knows the columns of tables in other languages', () => {
  for (const head of [
    'Titre;Statut;Priorité;Responsable;Échéance;Étiquettes',
    'Tarea;Estado;Prioridad;Asignado a;Fecha límite;Etiquetas',
    'Attività;Stato;Priorità;Assegnato a;Scadenza;Etichette',
    'Tarefa;Estado;Prioridade;Responsável;Prazo;Etiquetas',
    'Taak;Status;Prioriteit;Toegewezen aan;Vervaldatum;Labels',
    'Tytuł;Status;Priorytet;Przypisane do;Termin;Etykiety',
    'タイトル;状態;優先度;担当者;期限;ラベル',
    'Aufgabe;Status;Priorität;Zuständig;Fällig;Schlagwörter',
  ]) {
    const headers = head.split(';')
    const columns = guessColumns(headers, headers)
    assert.deepEqual(
      columns.map(({ column }) => column),
      [0, 1, 2, 3, 5, 4].map((at) => headers[at]),
      head,
    )
  }
})

test('takes the tasks for titles where a table has names, too', () => {
  for (const title of TITLE_COLUMNS) {
    const headers = ['Name', title, 'Deadline']
    const columns = guessColumns(headers, headers)
    assert.deepEqual(
      columns,
      [
        { field: 'title', column: title },
        { field: 'due_date', column: 'Deadline' },
      ],
      title,
    )
  }
  // Beside content or nothing of the kind, the names are the titles.
  for (const head of ['Content,Name', 'Name,Deadline', 'Bob,Name']) {
    const headers = head.split(',')
    const columns = guessColumns(headers, headers)
    assert.partialDeepStrictEqual(columns, [{ field: 'title', column: 'Name' }], head)
  }
})
