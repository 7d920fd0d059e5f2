import type { statusPresets } from '../../projects/status-presets.ts'

// Plain objects: importing a function from the English file, which waits for this one, would hang.
export const germanProjectTemplates: typeof statusPresets = {
  usual: undefined,
  simple: [
    { name: 'Offen', category: 'unstarted' },
    { name: 'Erledigt', category: 'completed' },
  ],
  support: [
    { name: 'Neu', category: 'unstarted' },
    { name: 'Wartet', category: 'backlog' },
    { name: 'In Arbeit', category: 'started' },
    { name: 'Gelöst', category: 'completed' },
    { name: 'Abgewiesen', category: 'canceled' },
  ],
  writing: [
    { name: 'Ideen', category: 'backlog' },
    { name: 'Entwurf', category: 'started' },
    { name: 'Redaktion', category: 'started' },
    { name: 'Veröffentlicht', category: 'completed' },
    { name: 'Verworfen', category: 'canceled' },
  ],
}
