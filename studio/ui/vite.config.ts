import { defineConfig } from 'vitest/config';

// Names of assets hold a hash of their content: browsers keep them for good, and a newer program has others.
export default defineConfig({
  base: './',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 900,
    assetsInlineLimit: 8192,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: 'assets/studio-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/studio-[hash][extname]',
      },
    },
  },
  server: { proxy: { '/ws': { target: 'ws://127.0.0.1:8765', ws: true }, '/api': 'http://127.0.0.1:8765' } },
  test: {
    projects: [
      { extends: true, test: { name: 'unit', include: ['tests/unit/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          // One browser with software WebGL fills the cores; files one after the other keep its timing honest.
          pool: 'forks',
          poolOptions: { forks: { singleFork: true } },
        },
      },
    ],
  },
});
