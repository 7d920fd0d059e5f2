import type { pushMessages } from '../../settings/push.ts'

export const germanPush: typeof pushMessages = {
  show: 'Benachrichtigungen auf diesem Gerät anzeigen',
  available: 'Auch wenn Docket geschlossen ist.',
  blocked: 'Ihr Browser blockiert Benachrichtigungen. Erlauben Sie sie in seinen Einstellungen.',
  unsupported:
    'Dieser Browser zeigt keine Benachrichtigungen. Legen Sie Docket auf iPhone oder iPad auf den Home-Bildschirm und öffnen Sie es dort.',
  offOn: (device) => `Benachrichtigungen ausschalten: ${device}`,
  quiet: 'Ruhezeit',
  noQuiet: 'Aus',
  quietTo: 'Ruhezeit: bis',
}
