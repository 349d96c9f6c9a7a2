/** @type {import("next").NextConfig} */
const config = {
  serverExternalPackages: ["better-sqlite3"],
  // Compressed, a stream's events would wait in the compressor's buffer.
  compress: false,
  poweredByHeader: false,
  reactStrictMode: true,
  // TypeScript 7 has no compiler API for Next to call; `npm run verify` checks types with tsc.
  typescript: { ignoreBuildErrors: true },
  devIndicators: false,
};

export default config;
