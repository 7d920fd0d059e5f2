/** Also what the server's own messages say well enough in English. */
export const germanRefusals: Readonly<Record<string, string>> = {
  not_found: 'Es wurde gelöscht, oder Sie haben keinen Zugriff mehr darauf.',
  invalid_reference: 'Es wurde gelöscht, oder Sie haben keinen Zugriff mehr darauf.',
  not_a_member:
    'Diese Person hat keinen Zugriff auf das Projekt. Hinzufügen können sie die Projektleitung, Inhaber und Admins.',
  storage_full:
    'Der Workspace hat keinen Speicherplatz mehr. Löschen Sie Anhänge und Aufgaben und warten Sie, bis der Papierkorb geleert wird.',
  'tag_ids.not_in_project': 'Dieses Schlagwort gehört zu einem anderen Projekt.',
  too_deep: 'Unteraufgaben gehen höchstens # Ebenen tief.',
  'blocked_by_ids.cycle': 'Diese Aufgaben würden aufeinander warten.',
  'parent_id.not_in_project': 'Eine übergeordnete Aufgabe muss im selben Projekt sein.',
  'parent_id.cycle': 'Eine Aufgabe kann keine Unteraufgabe ihrer eigenen Unteraufgabe sein.',
  'status.invalid_value': 'Diesen Status hat das Projekt nicht mehr.',
  'start_date.invalid_range': 'Der Beginn läge nach der Fälligkeit.',
  'due_date.invalid_range': 'Die Fälligkeit läge vor dem Beginn.',
  required: 'Hier fehlt etwas.',
  too_short: 'Hier fehlt etwas.',
  too_long: 'Höchstens # Zeichen.',
  too_many: 'Höchstens #.',
  too_small: 'Das ist zu klein.',
  too_large: 'Das ist zu groß.',
  duplicate: 'Das gibt es hier schon.',
  invalid_format: 'Das hat nicht die richtige Form.',
  invalid_characters: 'Ein Zeichen darin ist nicht erlaubt.',
  insufficient_role: 'Das dürfen Sie hier nicht.',
  project_archived: 'Das Projekt ist archiviert.',
}
