import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * Builds the web app into web/dist. Every file but index.html carries a hash of its content in its name,
 * so it never changes and is kept for ever; nothing is inlined, because the policy allows no inline code.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    manifest: true,
  },
})
