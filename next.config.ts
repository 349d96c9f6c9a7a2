import type { NextConfig } from "next";

const config: NextConfig = {
  serverExternalPackages: ["better-sqlite3"],
  // Compressed, a stream's events would wait in the compressor's buffer.
  compress: false,
  poweredByHeader: false,
  reactStrictMode: true,
  typescript: {
    // TypeScript 7 has no compiler API for Next to call; `npm run verify` checks types with tsc.
    ignoreBuildErrors: true,
  },
  devIndicators: false,
};

export default config;
