import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where the application answers while developing; `npm run dev` sets it. */
const server = `http://127.0.0.1:${process.env['PORT'] ?? 3000}`

export default defineConfig({
  // Started from the repository's root as well as from here.
  root: import.meta.dirname,
  plugins: [react()],
  server: {
    host: '127.0.0.1',
    // The Host header stays as the browser sent it, so the server's same-origin check holds here too.
    proxy: { '/api': server, '/samples': server },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'baseline-widely-available',
    // A data: address would be refused by nothing, but an inlined module script would be refused by the content policy.
    assetsInlineLimit: 0,
  },
})
