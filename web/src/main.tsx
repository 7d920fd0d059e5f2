import './styles/tokens.css'
import './styles/parts.css'
import './styles/screens.css'
import './styles/narrow.css'
import './styles/controls.css'
import './styles/shell.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { queries } from './data/refetch.ts'
import { language } from './lib/language.ts'
import { ensureRandomUUID } from './lib/uuid.ts'
import { applyWeekStart } from './lib/week.ts'
import { router } from './router.tsx'

document.documentElement.lang = language
ensureRandomUUID()
applyWeekStart()
const root = document.getElementById('app')
if (!root) throw new Error('The page has no place for the app')
createRoot(root).render(
  <QueryClientProvider client={queries}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
)
