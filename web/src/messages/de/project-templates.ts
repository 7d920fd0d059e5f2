import type { templates } from '../project-templates.ts'

// As objects: a function of `../project-templates.ts` would be waited for by what waits for this.
export const projectTemplates: typeof templates = {
  usual: undefined,
  simple: [
    { name: 'Offen', category: 'unstarted' },
    { name: 'Erledigt', category: 'completed' },
  ],
  support: [
    { name: 'Neu', category: 'unstarted' },
    { name: 'Wartet', category: 'backlog' },
    { name: 'In Antwort', category: 'started' },
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
