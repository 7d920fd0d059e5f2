import { plural } from '../plural.ts'
import type { m } from '../sign-in.ts'

export const signIn: typeof m = {
  code: 'Code',
  codeTitle: 'Zweiter Faktor',
  codeWhy: 'Der Code aus Ihrer App oder einer Ihrer Wiederherstellungscodes.',
  codeDo: 'Weiter',
  codeWrong: 'Der Code stimmt nicht oder wurde schon benutzt.',
  codeOver: 'Das hat zu lange gedauert. Bitte noch einmal anmelden.',
  back: 'Zurück',

  continueWith: (name) => `Weiter mit ${name}`,
  continueElsewhere: (name) => `Weiter mit ${name}, in einem anderen Tab`,
  companyFailed: 'Sie sind nicht angemeldet',
  companyStopped: 'Die Anmeldung dort wurde nicht abgeschlossen.',
  companyAgain: 'Zurück zur Anmeldung',
  linkTitle: 'Mit diesem Link anmelden',
  linkWhy:
    'Wer diese Installation betreibt, hat ihn für Sie erstellt. Er gilt einmal, 15 Minuten lang.',
  linkDo: 'Anmelden',
  linkOver: 'Der Link wurde benutzt, oder seine 15 Minuten sind vorbei.',

  notLinked: (name) => `Konto verknüpfen, dann geht die Anmeldung auch mit ${name}.`,
  linked: (who, day) => `Sie melden sich dort als ${who} an, seit ${day}.`,
  link: 'Verknüpfen',
  unlink: 'Trennen',
  unlinked: 'Verknüpfung getrennt',
  lastWayIn: 'Sie haben kein Passwort: So melden Sie sich an.',

  means: {
    password: 'mit Passwort',
    passkey: 'mit Passkey',
    company: 'über die Firma',
    link: 'über einen Link',
    sign_up: 'mit neuem Konto',
  },
  andCode: (means) => `${means} und Code`,

  byPasskey: 'Mit Passkey anmelden',
  passkey: 'Passkey',
  passkeys: 'Passkeys',
  passkeysWhy:
    'Ein Passkey meldet Sie mit Finger, Gesicht oder PIN an, ohne Passwort und ohne Code.',
  passkeyColumns: ['Benutzt', 'Erstellt mit', 'Erstellt', 'Aktionen'],
  makePasskey: 'Passkey erstellen',
  passkeyMade: 'Passkey erstellt',
  noPasskeys: 'Dieser Browser bewahrt keine Passkeys auf.',
  passkeyEnd: 'Entfernen',
  passkeyEndTitle: (name) => `Passkey von ${name} entfernen`,
  passkeyEndWhy: 'Niemand meldet sich mehr damit an. Bitte auch vom Gerät entfernen.',
  passkeyEnded: (name) => `Passkey von ${name} entfernt`,

  demandTitle: (workspace) => `${workspace} verlangt einen zweiten Faktor`,
  demandWhy: 'So will es ein Inhaber, für alle. Hier einrichten, dann geht es weiter wie zuvor.',
  demandThere: 'Sie haben einen. Bitte noch einmal damit anmelden, dann geht es weiter wie zuvor.',
  demandDone: 'Er ist eingerichtet.',
  signInWithIt: 'Damit anmelden',
  demand: 'Von allen verlangen',
  demandEnd: 'Nicht mehr verlangen',
  demandOwners: 'Nur Inhaber ändern das.',
  demandOff: 'Alle entscheiden selbst, ob sie sich damit anmelden.',
  demandOn: 'Wer keinen gezeigt hat, richtet erst einen ein und sieht vorher nichts.',
  demandKeys:
    'Schlüssel und Anwendungen laufen weiter. Wer über die Firma kommt, wird nicht gefragt.',
  without: (count) =>
    plural(count, {
      one: '1 Mitglied hat noch keinen.',
      other: '# Mitglieder haben noch keinen.',
    }),

  factor: 'Zweiter Faktor',
  factorOff: 'Wer Ihr Passwort erfährt, kann sich anmelden. Ein Code vom Telefon verhindert das.',
  factorOn: (day) => `Wird seit ${day} verlangt.`,
  codesLeft: (count) =>
    plural(count, {
      one: '1 Wiederherstellungscode ist übrig.',
      other: '# Wiederherstellungscodes sind übrig.',
    }),
  turnOn: 'Einschalten',
  turnOff: 'Ausschalten',
  turnedOff: 'Zweiter Faktor ausgeschaltet',
  newCodes: 'Neue Wiederherstellungscodes',
  current: 'Passwort',
  currentWhy: 'Nur Sie kennen es: Es zeigt, dass Sie es sind.',
  next: 'Weiter',
  scanTitle: 'Mit einer App scannen, die Codes erzeugt',
  scanWhy: 'Oder den Schlüssel dort eintippen:',
  scanCode: 'Dann den Code eintippen, den sie zeigt.',
  qr: 'Der Schlüssel als Bild zum Scannen',
  codesTitle: 'Wiederherstellungscodes: nicht beim Telefon aufbewahren',
  codesWhy: 'Jeder ersetzt den zweiten Faktor einmal. Sie werden nicht wieder gezeigt.',
  codesStub: 'Nur einmal',
  codesCopy: 'Codes kopieren',
  codesLoss: {
    title: 'Verlassen, ohne die Codes zu kopieren?',
    text: 'Sie werden nicht wieder gezeigt. Ohne sie sperrt ein verlorenes Telefon Sie aus.',
    action: 'Verlassen',
  },
}
