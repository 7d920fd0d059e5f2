import type { signInMessages } from '../../accounts/sign-in.ts'
import { plural } from '../../plural.ts'

export const germanSignIn: typeof signInMessages = {
  code: 'Code',
  codeTitle: 'Zwei-Faktor-Authentifizierung',
  codeWhy: 'Geben Sie den Code aus Ihrer Authenticator-App oder einen Wiederherstellungscode ein.',
  codeDo: 'Weiter',
  codeWrong: 'Der Code ist falsch oder wurde schon benutzt.',
  codeOver: 'Das hat zu lange gedauert. Melden Sie sich erneut an.',
  back: 'Zurück',

  continueWith: (name) => `Weiter mit ${name}`,
  continueElsewhere: (name) => `Weiter mit ${name}, in einem anderen Tab`,
  companyFailed: 'Die Anmeldung ist fehlgeschlagen',
  companyStopped: 'Die Anmeldung über Ihre Firma wurde nicht abgeschlossen.',
  companyAgain: 'Zurück zur Anmeldung',
  linkTitle: 'Mit diesem Link anmelden',
  linkWhy:
    'Wer diese Installation betreibt, hat ihn für Sie erstellt. Er gilt einmal und 15 Minuten lang.',
  linkDo: 'Anmelden',
  linkOver: 'Der Link wurde bereits benutzt oder ist abgelaufen.',

  notLinked: (name) => `Verknüpfen Sie Ihr Konto, um sich mit ${name} anzumelden.`,
  linked: (who, day) => `Seit ${day} mit ${who} verknüpft.`,
  link: 'Verknüpfen',
  unlink: 'Trennen',
  unlinkTitle: (company) => `Verknüpfung mit ${company} trennen`,
  unlinkWhy: 'Sie können sich damit nicht mehr anmelden.',
  unlinked: 'Verknüpfung getrennt',
  lastWayIn: 'Sie haben kein Passwort und können sich nur so anmelden.',

  means: {
    password: 'mit Passwort',
    passkey: 'mit Passkey',
    company: 'mit Firmenkonto',
    link: 'mit Link',
    sign_up: 'mit neuem Konto',
  },
  andCode: (means) => `${means} und Code`,

  byPasskey: 'Mit Passkey anmelden',
  passkey: 'Passkey',
  passkeys: 'Passkeys',
  passkeysWhy:
    'Mit Passkeys melden Sie sich per Fingerabdruck, Gesicht oder PIN an, ohne Passwort und ohne Code.',
  passkeyColumns: ['Zuletzt benutzt', 'Anbieter', 'Erstellt', 'Aktionen'],
  makePasskey: 'Passkey erstellen',
  passkeyMade: 'Passkey erstellt',
  noPasskeys: 'Dieser Browser unterstützt keine Passkeys.',
  passkeyEnd: 'Entfernen',
  passkeyEndTitle: (name) => `Passkey ${name} entfernen`,
  passkeyEndWhy: 'Sie können sich damit nicht mehr anmelden. Löschen Sie ihn auch auf Ihrem Gerät.',
  passkeyEnded: (name) => `Passkey ${name} entfernt`,

  demandTitle: (workspace) => `${workspace} verlangt Zwei-Faktor-Authentifizierung`,
  secondFactorSetupHint:
    'Ein Inhaber verlangt sie von allen. Richten Sie sie ein, um fortzufahren.',
  secondFactorConfirmHint:
    'Sie ist eingerichtet. Melden Sie sich erneut mit Ihrem Code an, um fortzufahren.',
  demandDone: 'Die Zwei-Faktor-Authentifizierung ist eingeschaltet.',
  signInWithIt: 'Mit Code anmelden',
  demand: 'Von allen verlangen',
  demandEnd: 'Nicht mehr verlangen',
  demandOwners: 'Nur Inhaber können das ändern.',
  demandOff: 'Mitglieder entscheiden selbst, ob sie Zwei-Faktor-Authentifizierung nutzen.',
  demandOn:
    'Mitglieder müssen Zwei-Faktor-Authentifizierung einrichten, bevor sie den Workspace sehen.',
  demandKeys: 'API-Schlüssel und Anwendungen funktionieren weiter. Firmenkonten sind ausgenommen.',
  without: (count) =>
    plural(count, {
      one: '1 Mitglied hat sie noch nicht eingerichtet.',
      other: '# Mitglieder haben sie noch nicht eingerichtet.',
    }),

  factor: 'Zwei-Faktor-Authentifizierung',
  factorOff:
    'Schützen Sie Ihr Konto mit einem Code vom Telefon, auch wenn jemand Ihr Passwort kennt.',
  factorOn: (day) => `Eingeschaltet seit ${day}.`,
  codesLeft: (count) =>
    plural(count, {
      one: 'Noch 1 Wiederherstellungscode.',
      other: 'Noch # Wiederherstellungscodes.',
    }),
  turnOn: 'Einschalten',
  turnOff: 'Ausschalten',
  turnedOff: 'Zwei-Faktor-Authentifizierung ausgeschaltet',
  newCodes: 'Neue Wiederherstellungscodes',
  current: 'Passwort',
  currentWhy: 'Geben Sie zur Bestätigung Ihr Passwort ein.',
  confirmTitle: 'Mit Passwort bestätigen',
  next: 'Weiter',
  scanTitle: 'Mit Ihrer Authenticator-App scannen',
  scanWhy: 'Oder diesen Schlüssel eingeben:',
  scanCode: 'Geben Sie dann den angezeigten Code ein.',
  qr: 'Schlüssel als Bild zum Scannen',
  codesTitle: 'Wiederherstellungscodes sichern',
  codesWhy:
    'Jeder ersetzt Ihren Code einmal, etwa wenn Sie Ihr Telefon verlieren. Sie werden nur jetzt angezeigt.',
  codesStub: 'Einmal gültig',
  codesCopy: 'Codes kopieren',
  codesLoss: {
    title: 'Verlassen, ohne die Codes zu kopieren?',
    text: 'Sie werden nicht wieder angezeigt. Ohne sie sperrt Sie ein verlorenes Telefon aus.',
    action: 'Verlassen',
  },
}
